"""The median of 3 x 3 pixels: columns are sorted by three stages, which share the rows of the image."""

import halidehw as hl


def median(width: int = 16, height: int = 8, lanes: int = 1) -> hl.Func:
    """width x height pixels of an image with one more on each side, `lanes` side by side."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    low, mid, high, output = hl.Func("low"), hl.Func("mid"), hl.Func("high"), hl.Func("median")
    x, y = hl.vars("x y")

    def middle(a: hl.Expr, b: hl.Expr, c: hl.Expr) -> hl.Expr:
        return hl.max(hl.min(a, b), hl.min(hl.max(a, b), c))

    column = [image[x, y + dy] for dy in (-1, 0, 1)]
    low[x, y] = hl.min(hl.min(column[0], column[1]), column[2])
    mid[x, y] = middle(*column)
    high[x, y] = hl.max(hl.max(column[0], column[1]), column[2])
    lows, mids, highs = ([func[x + dx, y] for dx in (-1, 0, 1)] for func in (low, mid, high))
    output[x, y] = middle(hl.max(hl.max(*lows[:2]), lows[2]), middle(*mids), hl.min(hl.min(*highs[:2]), highs[2]))
    output.bound(x, 1, width).bound(y, 1, height).vectorize(x, lanes)

    for stage in (low, mid, high):
        stage.compute_at(output, y).vectorize(x, lanes)
    image.in_().store_root().compute_at(output, y)
    return output.accelerate([image])


design = median()
