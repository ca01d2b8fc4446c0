"""Models: anything that can answer, match, or both. Each name is imported when it is first used."""

from typing import TYPE_CHECKING

from falter.core.lazy import lazy_names

if TYPE_CHECKING:
    from falter.data.model import (
        BudgetExceededError,
        Capabilities,
        Model,
        PermanentError,
        Reply,
        Request,
        ScoreKind,
        Status,
        TransientError,
        failed_reply,
        is_transient,
        load_image,
    )
    from falter.data.model_loading import LoadContext
    from falter.data.model_options import ModelOptions
    from falter.data.usage import Usage
    from falter.evaluation.models.backends import BACKENDS, load_model
    from falter.evaluation.models.token_costs import Price, Prices, read_prices

__all__ = [
    "BACKENDS",
    "BudgetExceededError",
    "Capabilities",
    "LoadContext",
    "Model",
    "ModelOptions",
    "PermanentError",
    "Price",
    "Prices",
    "Reply",
    "Request",
    "ScoreKind",
    "Status",
    "TransientError",
    "Usage",
    "failed_reply",
    "is_transient",
    "load_image",
    "load_model",
    "read_prices",
]

__getattr__ = lazy_names(
    __name__,
    {
        "BACKENDS": "falter.evaluation.models.backends",
        "BudgetExceededError": "falter.data.model",
        "Capabilities": "falter.data.model",
        "LoadContext": "falter.data.model_loading",
        "Model": "falter.data.model",
        "ModelOptions": "falter.data.model_options",
        "PermanentError": "falter.data.model",
        "Price": "falter.evaluation.models.token_costs",
        "Prices": "falter.evaluation.models.token_costs",
        "Reply": "falter.data.model",
        "Request": "falter.data.model",
        "ScoreKind": "falter.data.model",
        "Status": "falter.data.model",
        "TransientError": "falter.data.model",
        "Usage": "falter.data.usage",
        "failed_reply": "falter.data.model",
        "is_transient": "falter.data.model",
        "load_image": "falter.data.model",
        "load_model": "falter.evaluation.models.backends",
        "read_prices": "falter.evaluation.models.token_costs",
    },
)
