"""Find mistakes in subscriptions that are valid and yet cannot be meant: misspelled properties, unknown classes.

findings.py        Finding: what is wrong with a subscription, and a guess
class_checks.py    classes in isA and its relatives
property_checks.py properties that no publication has
run_observer.py    what a run over publications shows: properties, and subscriptions that match nothing
nearest.py         what nearly matched
spelling.py        the term that was probably meant
"""
