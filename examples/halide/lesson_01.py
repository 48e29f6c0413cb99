"""Tutorial, lesson 1: a gradient."""


def program(hl):
    x, y, gradient = hl.Var("x"), hl.Var("y"), hl.Func("gradient")
    gradient[x, y] = x + y
    return gradient, [12, 8]
