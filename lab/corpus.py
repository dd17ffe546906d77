"""The rules files that accuracy is measured over: the project's own and, where it is, a corpus beside it."""

import os
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def shared_folder():
    folder = pathlib.Path(os.environ.get("AUOPT_SHARED") or SOURCE.parent / "shared") / "rulesets"
    return folder if folder.is_dir() else None


def rule_files():
    """name -> path; own files are named share/..., the corpus's by their path in it."""
    files = {f"share/{p.name}": p for p in sorted((SOURCE / "share" / "rulesets").glob("*.rules"))}
    folder = shared_folder()
    if folder is not None:
        files |= {str(p.relative_to(folder)): p for p in sorted([*folder.glob("*.rules"), *folder.glob("real-world/*.rules")])}
    return files
