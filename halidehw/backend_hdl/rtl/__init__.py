"""Register-transfer level: modules as plain values, read from Amaranth, cleaned, and written as Verilog."""
