"""Our solver as the optimisation step of Pandora, the stereo framework of CNES.

Pandora finds :mod:`rangemoves.pandora_plugin.optimization` by the entry point group
``pandora.plugin``; nothing else here imports it. Needs ``pip install 'rangemoves[pandora]'``.
"""
