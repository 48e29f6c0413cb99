// A master that may offer addresses, data and readiness for answers as it likes, and registers behind the slave. A write
// is made once for each address and data, with these and no others, whichever came first, and answered once; a read once
// for each address, in its cycle, and answered once with the word read. Answers stay until they are taken. Nothing
// waits for anything but the other half of a write, or an answer that is not taken.
module check (
    input clk,
    input [3:0] awaddr,
    input [3:0] araddr,
    input [31:0] wdata,
    input [3:0] wstrb,
    input [31:0] word,
    input awvalid,
    input wvalid,
    input bready,
    input arvalid,
    input rready
);
  reg started = 0;
  wire awready, wready, bvalid, arready, rvalid, write, read;
  wire [1:0] bresp, rresp;
  wire [3:0] write_address, write_strobe, read_address;
  wire [31:0] write_data, rdata;
  reg [31:0] read_data;
  axi_lite dut (
      .clk(clk), .rst(!started), .awaddr(awaddr), .awprot(3'd0), .awvalid(awvalid), .awready(awready), .wdata(wdata),
      .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bvalid(bvalid), .bready(bready), .bresp(bresp), .araddr(araddr),
      .arprot(3'd0), .arvalid(arvalid), .arready(arready), .rvalid(rvalid), .rready(rready), .rdata(rdata),
      .rresp(rresp), .write(write), .write_address(write_address), .write_data(write_data),
      .write_strobe(write_strobe), .read(read), .read_address(read_address), .read_data(read_data)
  );

  // What has been taken and not written, what is not answered, and the word that was read last.
  reg addressed = 0, worded = 0, written = 0, asked = 0;
  reg [3:0] address = 0, strobe = 0;
  reg [31:0] data = 0, found = 0;

  always @* if (started) begin
    assert (write == (addressed && worded && (!written || bready)));
    assert (!write || write_address == address && write_data == data && write_strobe == strobe);
    assert (!addressed || write_address == address);
    assert (!worded || write_data == data && write_strobe == strobe);
    assert (awready == !addressed && wready == !worded && arready == !asked);
    assert (bvalid == written && rvalid == asked && bresp == 0 && rresp == 0);
    assert (read == (arvalid && arready) && (!read || read_address == araddr));
    assert (!asked || rdata == found);
    assert (!asked || read_data == found);
  end

  always @(posedge clk) begin
    started <= 1;
    if (started) begin
      if (awvalid && awready) {addressed, address} <= {1'b1, awaddr};
      if (wvalid && wready) {worded, data, strobe} <= {1'b1, wdata, wstrb};
      if (addressed && worded && (!written || bready)) {addressed, worded} <= 0;
      written <= addressed && worded || written && !bready;
      asked <= arvalid && arready || asked && !rready;
      if (arvalid && arready) found <= word;
      if (read) read_data <= word;
    end
  end
endmodule
