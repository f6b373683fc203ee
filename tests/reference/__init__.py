"""The slow and obvious truth: every learner straight from its definition.

Plain lists, dictionaries and recursion; nothing is shared with the package, so that a kernel
which agrees with these files agrees for no other reason than being right. A node is a dictionary::

    {"counts": [weight per class], "label": class, "test": index or None,
     "threshold": number or None, "children": [node or None, ...]}

A nominal node has one child per value of the domain and ``None`` where no training case went; a
numeric node has the children ``<= threshold`` and ``> threshold``; a leaf has no test and no
children. A case that arrives at ``None`` stops at the node above and takes its answer.
"""
