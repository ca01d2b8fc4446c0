"""Models behind servers that speak OpenAI's chat API: vLLM, SGLang, Ollama, llama.cpp, hosted services."""

from falter.evaluation.models.openai.model import OpenAIModel, load_openai

__all__ = ["OpenAIModel", "load_openai"]
