"""What the models draw: charts with logarithmic axes and surfaces over two of them, as SVG, PNG and HTML.

    picture     parts at places in pixels: the one layout behind every format
    chart       curves, marks and maps over two axes
    surface     a value over two axes, seen from an angle
    page        HTML without network or libraries: read-out under the pointer, surfaces to turn
    png         a picture by matplotlib (extra `plot`)
    files       the format by the suffix of a file
    hull, perdome, rooflines, lslag, curves    the pictures of the models

Nothing here computes: the models do, and their figures come with units.
"""
