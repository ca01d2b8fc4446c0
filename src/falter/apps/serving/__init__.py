"""What pages on a local server share. A page server is made of three parts:

- ``make_application(routes, access, name=...)`` (:mod:`falter.apps.serving.application`) puts Starlette routes behind
  the guard: tokens, checks of host and origin, security headers. A handler finds who asks in ``request.state.who``;
- ``asset_routes("falter.apps.viewer", ...)`` (:mod:`falter.apps.serving.application`) serves the shared look
  (``/assets/look.css``, ``/assets/theme.js``) and a package's own style and script. Pages have no inline style or
  script: the policy forbids it. Templates come from ``falter.evaluation.reporting.page.page_environment``;
- ``PageServer(application)`` (:mod:`falter.apps.serving.server`) listens on 127.0.0.1 at a free port, in the background
  or until interrupted. ``server.link(token)`` is what a person opens.

A link carries its token once: the server puts it in a cookie and redirects to the same page without it, under a path
of this token alone. Pages therefore name everything by relative addresses (``api/state``, not ``/api/state``). Requests
that change something must come from a page of the server itself; see :mod:`falter.apps.serving.application`.
What holds a request up raises :class:`falter.apps.serving.access.BusyError`, which becomes a 503.
"""
