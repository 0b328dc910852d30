"""Match publications against registered subscriptions.

engine.py                  the Engine: add, remove, match, explain, save
core.py                    its implementation, imported when the first engine is created
config.py                  EngineConfig: every setting
inputs.py                  what may be matched: objects, bytes, files, feeds
batch_inputs.py            blocks of documents, read while they are matched
preparation.py             parse, check and normalise a subscription before it is registered
registry.py                subscriptions as written
operator_subscriptions.py  subscriptions that call operators
persistence.py, snapshot_folder.py   the saved form of an engine
loading.py, subscription_files.py    an engine from files, for the command line and Spark
"""

from gtopss.engine.engine import Engine

__all__ = ["Engine"]
