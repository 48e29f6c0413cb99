"""Tutorial, lesson 6: a Func over a domain that does not begin at 0."""


def program(hl):
    x, y, gradient, shifted = hl.Var("x"), hl.Var("y"), hl.Func("gradient"), hl.Func("shifted")
    gradient[x, y] = x + y
    shifted[x, y] = gradient[x + 100, y - 50]
    return shifted, [5, 7]
