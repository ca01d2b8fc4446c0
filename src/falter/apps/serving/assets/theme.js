"use strict";
// The button with the id "theme" switches between light and dark; the choice is kept in this browser.
(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return window.localStorage.getItem("falter-theme");
    } catch {
      return null;
    }
  };
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const known = stored();
  if (known === "dark" || known === "light") root.dataset.theme = known;

  const label = () => {
    const toggle = document.getElementById("theme");
    if (!toggle) return;
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-pressed", String(isDark()));
    toggle.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  document.addEventListener("DOMContentLoaded", () => {
    label();
    const toggle = document.getElementById("theme");
    if (!toggle) return;
    toggle.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      label();
      try {
        window.localStorage.setItem("falter-theme", root.dataset.theme);
      } catch {
        // A browser may refuse storage; the choice then lasts as long as the page.
      }
    });
  });
  dark.addEventListener("change", label);
})();
