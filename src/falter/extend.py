"""Everything that an extension may import, one sentence each: measures, benchmarks, suites, sources, models, panels.

What is neither here nor in ``falter`` is private and may change without notice. Names are imported when they are first
used. A bundle may add names for plugins of its own suite, such as a registry of tests (``extension_names``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from falter.core.lazy import lazy_names

CONTENTS = {
    "A suite: items and probes, and the bundle that holds what Falter knows about it": {
        "falter.core.bundle": {
            "BUNDLES": "All bundles by name; a folder for --plugin-dir adds its own by binding BUNDLE.",
            "Command": "A command of a bundle, `falter BUNDLE NAME`.",
            "Demo": "What `falter demo` generates of a bundle.",
            "SuiteBundle": "One kind of suite: its generator, importers, measures, panels and commands.",
        },
        "falter.data.items": {
            "Expects": "The relation between two answers that a probe expects: same, different, each, prefer.",
            "ImageRef": "The image of an item: its id, and its path and hash where it is known.",
            "Item": "One question, or one caption, about one image.",
            "Probe": "An original item with its variants.",
        },
        "falter.data.suite": {
            "Suite": "A suite on disk: its manifest and its probes.",
            "SuiteManifest": "What `suite.json` says; generators and importers may add to it.",
        },
    },
    "Registries: names that plugins add to, by entry points or in a folder for --plugin-dir": {
        "falter.core.plugins": {
            "register": "A decorator that puts what it decorates into a registry.",
        },
        "falter.core.registry": {
            "Registry": "A named collection, open to the entry points of a group.",
        },
        "falter.core.executors": {
            "EXECUTORS": "Where work runs, for --executor NAME:ARGUMENT.",
            "Executor": "Runs a function over pieces of work and gives the results in their order.",
        },
    },
    "An importer: converts a released benchmark": {
        "falter.generation.authoring": {
            "ImportContext": "What an importer works with: its options, its log, the manifest, images.",
            "ImportLog": "Which files were read, which records were left out, and notes for the user.",
            "Importer": "The protocol of an importer, for `falter import NAME`.",
        },
        "falter.generation.authoring.importer": {
            "HasImageNames": "An importer whose images are found by one of several file names.",
            "HasItemFormats": "An importer whose release can be converted in several ways.",
            "HasObjectIds": "An importer whose release says which objects of a scene graph a question is about.",
            "PUBLISHED": "The facet `labels` of items whose labels were published, not derived.",
            "TakesFile": "An importer whose release may be one file.",
            "UsesWorkers": "An importer that spreads its work over the executor of its context.",
            "coco_names": "The file names that an image of COCO may have.",
            "find_tables": "The tables of a release whose names hold one of some words.",
            "leave_out": "Count and name the records of a release that are left out.",
            "log_file": "Write down that a file was read, with the hash of its bytes.",
            "read_table": "The records of a JSON, JSONL, CSV, TSV or Parquet file, damaged ones with their problem.",
            "released_image": "The image of a field that names a file or holds its bytes.",
            "skip_others": "Write down which files of a folder do not belong to the release.",
        },
    },
    "A generator: makes a suite from a source": {
        "falter.generation.authoring": {
            "AnswerBalancer": "Keeps the answers to what a text-only model sees balanced.",
            "GenerateContext": "What a generator works with: images, the draw of --size, the grammar, notes.",
            "GenerateOptions": "What the user wants generated: tests, size, seed, and the options of the bundle.",
            "GroundedQuestion": "A question with its template, its slots, its query and the answer of the scene.",
            "ImageOptions": "Options of generators that make images.",
            "QuestionBuilder": "Builds a question from a template and slots; the scene answers it.",
            "SuiteGenerator": "The protocol of a generator, for `falter generate NAME`.",
            "WordOptions": "Options of generators that use the ontology.",
        },
        "falter.generation.authoring.question_builder": {
            "features_of": "The features of a description from which a text-only model could guess the answer.",
            "for_answer": "The weights of features for an answer.",
        },
        "falter.generation.english": {
            "GRAMMAR_FOLDERS": "Folders of words and templates, by name.",
            "Grammar": "Ontology, noun phrases and templates: renders text from slots, parses text to queries.",
            "default_grammar": "Falter's own grammar, with the words of folders where some are given.",
        },
        "falter.generation.nlp.encoders": {
            "ENCODERS": "Encoders of sentences, by name.",
            "Encoder": "A model that turns sentences into vectors.",
        },
    },
    "A source: reads a data set in its published format": {
        "falter.generation.sources": {
            "Dialogue": "A dialogue about an image.",
            "DialogueRound": "A question of a dialogue and its answer.",
            "FoiledCaption": "A caption and the same with one word replaced.",
            "HasCaptions": "A source with captions.",
            "HasCategories": "A source whose scenes have known categories.",
            "HasDialogues": "A source with dialogues.",
            "HasFoils": "A source with captions and their foils.",
            "HasProblems": "A source that tells what it could not read.",
            "HasQuestions": "A source with questions and answers.",
            "HasScenes": "A source with scene graphs.",
            "HasSituations": "A source with verbs and their roles.",
            "Question": "A question of a source, with its answer or its answers.",
            "SOURCES": "Sources by name, for --from NAME:...",
            "Situation": "A verb with who or what fills its roles.",
            "Source": "The protocol of every source: its name, its licence and its images.",
            "open_source": "Opens a source from a spec such as `gqa:FOLDER`.",
        },
        "falter.generation.sources.protocol": {
            "FindsQuestions": "A source that finds a question by its id.",
            "provides": "A decorator that says what the sources of an opener may have.",
        },
        "falter.generation.sources.coco": {
            "ontology_name": "The name in the ontology of a category of COCO.",
        },
    },
    "Scenes and the queries that they answer": {
        "falter.generation.scene": {
            "Box": "A rectangle in an image.",
            "Query": "The logical form of a question; a scene answers it with yes, no or unknown.",
            "Relation": "A relation between two objects of a scene graph.",
            "Scene": "A scene graph interpreted with the ontology.",
            "SceneGraph": "Annotated objects, attributes and relations of an image.",
            "SceneObject": "An object of a scene graph.",
            "query_from_json": "A query from its form in `items.parquet`.",
            "query_to_json": "The form of a query in `items.parquet`.",
        },
        "falter.generation.scene.programs": {
            "ProgramError": "A functional program of GQA that is no query.",
            "query_from_program": "A query from a functional program of GQA.",
        },
    },
    "A model: answers questions, matches captions, or both": {
        "falter.evaluation.models": {
            "BACKENDS": "Backends by name: the prefixes of specs, such as `hf` in `hf:PATH`.",
            "BudgetExceededError": "Raise it where the run must stop and can be resumed later.",
            "Capabilities": "What a model declares about itself: its tasks, its batch size, whether it needs images.",
            "LoadContext": "What a loader of models gets besides the spec: sources, options, usage.",
            "Model": "The protocol of a model.",
            "ModelOptions": "Options of models with weights and of servers.",
            "PermanentError": "Raise it where trying again is of no use.",
            "Reply": "What a model returns for a request.",
            "Request": "What a model gets: a text, an image or none, its task and choices.",
            "TransientError": "Raise it where trying again may help.",
            "Usage": "Requests, tokens and cost so far.",
            "failed_reply": "A reply that says why there is none.",
            "load_image": "Opens the image of a request safely.",
        },
        "falter.evaluation.models.backends": {
            "BUILTINS": "Models by name, for `builtin:NAME`.",
        },
        "falter.evaluation.models.prompts": {
            "Prompt": "How items are put to a model that takes text.",
            "load_prompt": "The prompt that the options name.",
        },
        "falter.data.model_loading": {
            "Builtin": "An entry of `builtin:NAME`: its loader, what it needs, and a summary.",
            "FileLayout": "Reads a released file of predictions as a whole, for the slot `layouts`.",
            "Layout": "Reads one row of a released file of predictions, for the slot `layouts`.",
            "OddRecords": "Names and counts the odd records of a released file.",
            "ReleasedPrediction": "A prediction of a released file.",
            "ReleasedPredictions": "The predictions of a released file, with notes.",
            "SuiteRow": "An item as layouts of whole files see it.",
        },
    },
    "A measure: what a pair, an item or a set adds to a score": {
        "falter.evaluation.measures": {
            "ANSWERS": "A question to answer, with or without a variant.",
            "CONSISTENT": "The two answers relate as expected, correct or not.",
            "CONSISTENT_REPLIES": "The two normalized replies relate as expected, whatever they are.",
            "DIFFER": "Both replies hold a clear answer, and the two differ.",
            "Estimate": "A value with its 95 % interval.",
            "FOILS": "A caption and its foil.",
            "Group": "What a score is about: a suite, a test, values of facets.",
            "INCLUDED": "No reply of the pair is failed, missing or unsupported.",
            "MEASURES": "Measures by name, for `falter score` and all that follows.",
            "Measure": "A function from outcomes to a score.",
            "ONE": "1 per row.",
            "Outcomes": "The outcomes of a run, as tables of items and pairs.",
            "PAIRED": "The pair has a variant.",
            "RowsFinalizer": "A value that needs the rows themselves, such as AUROC.",
            "SAME": "Both replies hold the same clear answer.",
            "Score": "The value of a measure for a group, with its count and signature.",
            "Summary": "Tests taken together, for the slot `summaries`.",
            "Sums": "The sums of a measure by name.",
            "correct": "The reply of a side is correct.",
            "expects": "The pair expects one of these relations.",
            "is_": "The outcome of a side is one of these.",
            "judged": "The reply of a side is correct or incorrect by itself.",
            "listed": "The answer of a side is clear and among the choices.",
            "o": "A column of the original.",
            "on_both_sides": "The sum of an expression over original and variant.",
            "parsed": "The reply of a side holds a clear answer.",
            "ratio": "The first sum over `n`: how a value is computed by default.",
            "v": "A column of the variant.",
        },
        "falter.evaluation.runs": {
            "Run": "The replies of one model to one suite.",
        },
        "falter.evaluation.runs.scoring": {
            "outcomes_of_run": "The outcomes of a run, by the rules that scores use.",
        },
        "falter.evaluation.answers": {
            "normalize_vqa": "The official normalization of answers of VQA.",
            "parse_answer": "The answer in a text, given the choices.",
        },
    },
    "A panel: a section of the report": {
        "falter.evaluation.reporting": {
            "BarChart": "Bars of several models.",
            "ChartAxis": "An axis of a chart: its title and its range.",
            "ChartBar": "A bar with its interval.",
            "ChartLine": "A line of a model.",
            "ChartPoint": "A point of a line with its interval.",
            "ColumnChart": "Columns of several series.",
            "ColumnSeries": "A series of a column chart.",
            "LineChart": "Lines of several models.",
            "Panel": "A section that a bundle adds, with the function that builds it.",
            "ReportView": "What a panel sees: models, runs, suites, scores and published figures.",
            "Section": "Text, figures and tables, and sections within.",
            "Table": "A table of a section.",
            "TableCell": "A cell of a table, with the model whose color it has.",
            "bars": "Scores as bars.",
            "lines": "Scores by the values of a facet as lines.",
        },
    },
    "An exporter: writes a suite in the format of another program": {
        "falter.evaluation.exporting.export": {
            "Exporter": "Writes a suite, for the slot `exporters`.",
        },
        "falter.evaluation.exporting.harness_items": {
            "score_reply": "Reads and judges one text as `falter score` does, for exported tasks.",
        },
    },
    "Errors and files": {
        "falter.core.errors": {
            "FalterError": "Every error that the user sees as one line.",
            "InputError": "Bad input: the file, what is wrong with it, the record and a hint.",
            "UsageError": "Bad use: what is wrong, and what to do.",
        },
        "falter.core.files": {
            "read_records": "The records of a JSON or JSONL file, damaged ones with their problem.",
            "read_rows": "The rows of a CSV, TSV or Parquet file, damaged ones with their problem.",
            "write_atomically": "Write a file that appears under its name only when it is complete.",
        },
    },
}
"""By section the modules that names come from, and what each name is."""

if TYPE_CHECKING:
    from falter.core.bundle import BUNDLES, Command, Demo, SuiteBundle
    from falter.core.errors import FalterError, InputError, UsageError
    from falter.core.executors import EXECUTORS, Executor
    from falter.core.files import read_records, read_rows, write_atomically
    from falter.core.plugins import register
    from falter.core.registry import Registry
    from falter.data.images import Source
    from falter.data.items import Expects, ImageRef, Item, Probe
    from falter.data.model import (
        BudgetExceededError,
        Capabilities,
        Model,
        PermanentError,
        Reply,
        Request,
        TransientError,
        failed_reply,
        load_image,
    )
    from falter.data.model_loading import (
        Builtin,
        FileLayout,
        Layout,
        LoadContext,
        OddRecords,
        ReleasedPrediction,
        ReleasedPredictions,
        SuiteRow,
    )
    from falter.data.model_options import ModelOptions
    from falter.data.normalize import normalize_vqa
    from falter.data.sources import SOURCES, open_source
    from falter.data.suite import Suite, SuiteManifest
    from falter.data.usage import Usage
    from falter.evaluation.answers import parse_answer
    from falter.evaluation.exporting.export import Exporter
    from falter.evaluation.exporting.harness_items import score_reply
    from falter.evaluation.measures import (
        ANSWERS,
        CONSISTENT,
        CONSISTENT_REPLIES,
        DIFFER,
        FOILS,
        INCLUDED,
        MEASURES,
        ONE,
        PAIRED,
        SAME,
        Estimate,
        Group,
        Measure,
        Outcomes,
        RowsFinalizer,
        Score,
        Summary,
        Sums,
        correct,
        expects,
        is_,
        judged,
        listed,
        o,
        on_both_sides,
        parsed,
        ratio,
        v,
    )
    from falter.evaluation.models import BACKENDS
    from falter.evaluation.models.backends import BUILTINS
    from falter.evaluation.models.prompts import Prompt, load_prompt
    from falter.evaluation.reporting import (
        BarChart,
        ChartAxis,
        ChartBar,
        ChartLine,
        ChartPoint,
        ColumnChart,
        ColumnSeries,
        LineChart,
        Panel,
        ReportView,
        Section,
        Table,
        TableCell,
        bars,
        lines,
    )
    from falter.evaluation.runs import Run
    from falter.evaluation.runs.scoring import outcomes_of_run
    from falter.generation.authoring import (
        AnswerBalancer,
        GenerateContext,
        GenerateOptions,
        GroundedQuestion,
        ImageOptions,
        ImportContext,
        Importer,
        ImportLog,
        QuestionBuilder,
        SuiteGenerator,
        WordOptions,
    )
    from falter.generation.authoring.importer import (
        PUBLISHED,
        HasImageNames,
        HasItemFormats,
        HasObjectIds,
        TakesFile,
        UsesWorkers,
        coco_names,
        find_tables,
        leave_out,
        log_file,
        read_table,
        released_image,
        skip_others,
    )
    from falter.generation.authoring.question_builder import features_of, for_answer
    from falter.generation.english import GRAMMAR_FOLDERS, Grammar, default_grammar
    from falter.generation.nlp.encoders import ENCODERS, Encoder
    from falter.generation.scene import (
        Box,
        Query,
        Relation,
        Scene,
        SceneGraph,
        SceneObject,
        query_from_json,
        query_to_json,
    )
    from falter.generation.scene.programs import ProgramError, query_from_program
    from falter.generation.sources import (
        Dialogue,
        DialogueRound,
        FoiledCaption,
        HasCaptions,
        HasCategories,
        HasDialogues,
        HasFoils,
        HasProblems,
        HasQuestions,
        HasScenes,
        HasSituations,
        Question,
        Situation,
    )
    from falter.generation.sources.coco import ontology_name
    from falter.generation.sources.protocol import FindsQuestions, provides

__all__ = [
    "ANSWERS",
    "BACKENDS",
    "BUILTINS",
    "BUNDLES",
    "CONSISTENT",
    "CONSISTENT_REPLIES",
    "DIFFER",
    "ENCODERS",
    "EXECUTORS",
    "FOILS",
    "GRAMMAR_FOLDERS",
    "INCLUDED",
    "MEASURES",
    "ONE",
    "PAIRED",
    "PUBLISHED",
    "SAME",
    "SOURCES",
    "AnswerBalancer",
    "BarChart",
    "Box",
    "BudgetExceededError",
    "Builtin",
    "Capabilities",
    "ChartAxis",
    "ChartBar",
    "ChartLine",
    "ChartPoint",
    "ColumnChart",
    "ColumnSeries",
    "Command",
    "Demo",
    "Dialogue",
    "DialogueRound",
    "Encoder",
    "Estimate",
    "Executor",
    "Expects",
    "Exporter",
    "FalterError",
    "FileLayout",
    "FindsQuestions",
    "FoiledCaption",
    "GenerateContext",
    "GenerateOptions",
    "Grammar",
    "GroundedQuestion",
    "Group",
    "HasCaptions",
    "HasCategories",
    "HasDialogues",
    "HasFoils",
    "HasImageNames",
    "HasItemFormats",
    "HasObjectIds",
    "HasProblems",
    "HasQuestions",
    "HasScenes",
    "HasSituations",
    "ImageOptions",
    "ImageRef",
    "ImportContext",
    "ImportLog",
    "Importer",
    "InputError",
    "Item",
    "Layout",
    "LineChart",
    "LoadContext",
    "Measure",
    "Model",
    "ModelOptions",
    "OddRecords",
    "Outcomes",
    "Panel",
    "PermanentError",
    "Probe",
    "ProgramError",
    "Prompt",
    "Query",
    "Question",
    "QuestionBuilder",
    "Registry",
    "Relation",
    "ReleasedPrediction",
    "ReleasedPredictions",
    "Reply",
    "ReportView",
    "Request",
    "RowsFinalizer",
    "Run",
    "Scene",
    "SceneGraph",
    "SceneObject",
    "Score",
    "Section",
    "Situation",
    "Source",
    "Suite",
    "SuiteBundle",
    "SuiteGenerator",
    "SuiteManifest",
    "SuiteRow",
    "Summary",
    "Sums",
    "Table",
    "TableCell",
    "TakesFile",
    "TransientError",
    "Usage",
    "UsageError",
    "UsesWorkers",
    "WordOptions",
    "bars",
    "coco_names",
    "correct",
    "default_grammar",
    "expects",
    "failed_reply",
    "features_of",
    "find_tables",
    "for_answer",
    "is_",
    "judged",
    "leave_out",
    "lines",
    "listed",
    "load_image",
    "load_prompt",
    "log_file",
    "normalize_vqa",
    "o",
    "on_both_sides",
    "ontology_name",
    "open_source",
    "outcomes_of_run",
    "parse_answer",
    "parsed",
    "provides",
    "query_from_json",
    "query_from_program",
    "query_to_json",
    "ratio",
    "read_records",
    "read_rows",
    "read_table",
    "register",
    "released_image",
    "score_reply",
    "skip_others",
    "v",
    "write_atomically",
]


def _bundle_name(name: str) -> Any:
    from falter.core.bundle import bundle_extension_name

    return bundle_extension_name(name)


__getattr__ = lazy_names(
    __name__,
    {name: module for modules in CONTENTS.values() for module, names in modules.items() for name in names},
    _bundle_name,
)
