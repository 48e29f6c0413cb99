"""Tutorial, lesson 8: a producer that is computed before its consumer."""


def program(hl):
    x, y, producer, consumer = hl.Var("x"), hl.Var("y"), hl.Func("producer"), hl.Func("consumer")
    producer[x, y] = x * y % 17
    consumer[x, y] = (producer[x, y] + producer[x, y + 1] + producer[x + 1, y] + producer[x + 1, y + 1]) / 4
    producer.compute_root()
    return consumer, [4, 4]
