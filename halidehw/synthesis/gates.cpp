// A flat netlist, cycle by cycle, behind two calls from Verilog: `halidehw_gates_settle` gives the outputs for the
// inputs, `halidehw_gates_clock` ends a cycle. While `counting`, every net's changes from cycle to cycle and its
// cycles at one are counted, and every macro's accesses.
//
// netlist.txt, a line each (nets by number; 0 and 1 are the constants):
//   nets N | inputs n.. | outputs n.. | gate TABLE OUT IN.. | register Q D
//   macro WIDTH DEPTH we re (write address).. (write data).. (read address).. (read data)..   with widths in between
// Gates come in an order in which each follows what drives it. Bit i of TABLE (decimal) is the output where the inputs,
// the first one lowest, read as i.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "svdpi.h"

namespace {

using Nets = std::vector<uint32_t>;

struct Gate {
    uint32_t table;
    uint32_t out;
    uint32_t in[4];
};

struct Register {
    uint32_t q, d;
};

// Write port, read port with two registers behind the array: `halidehw_ram`.
struct Macro {
    uint32_t write_enable, read_enable;
    Nets write_address, write_data, read_address, read_data;
    std::vector<std::vector<uint8_t>> words;
    std::vector<uint8_t> word, next;
    uint64_t reads = 0, writes = 0;
};

struct Netlist {
    Nets inputs, outputs;
    std::vector<Gate> gates;
    std::vector<Register> registers;
    std::vector<Macro> macros;
    std::vector<uint8_t> value, before, toggled, high;
    std::vector<uint64_t> toggles, highs;
    std::vector<uint8_t> following;
    uint64_t cycles = 0;

    void load(std::istream& file);
    void settle(const svBitVecVal* in, svBitVecVal* out);
    void clock(bool counting);
    void count();
    void flush();
    void save();
};

Nets numbers(std::istream& line, size_t many) {
    Nets found(many);
    for (auto& number : found) line >> number;
    return found;
}

Nets rest(std::istream& line) {
    Nets found;
    for (uint32_t number; line >> number;) found.push_back(number);
    return found;
}

void Netlist::load(std::istream& file) {
    for (std::string text, kind; std::getline(file, text);) {
        std::istringstream line(text);
        line >> kind;
        if (kind == "nets") {
            size_t many;
            line >> many;
            for (auto* nets : {&value, &before, &toggled, &high}) nets->assign(many, 0);
            toggles.assign(many, 0);
            highs.assign(many, 0);
            value[1] = before[1] = 1;
        } else if (kind == "inputs") {
            inputs = rest(line);
        } else if (kind == "outputs") {
            outputs = rest(line);
        } else if (kind == "gate") {
            Gate gate{};
            line >> gate.table >> gate.out;
            const Nets in = rest(line);
            for (size_t i = 0; i < in.size(); i++) gate.in[i] = in[i];
            gates.push_back(gate);
        } else if (kind == "register") {
            Register each;
            line >> each.q >> each.d;
            registers.push_back(each);
        } else if (kind == "macro") {
            size_t width, depth, bits;
            Macro macro;
            line >> width >> depth >> bits >> macro.write_enable >> macro.read_enable;
            macro.write_address = numbers(line, bits);
            macro.write_data = numbers(line, width);
            macro.read_address = numbers(line, bits);
            macro.read_data = numbers(line, width);
            macro.words.assign(depth, std::vector<uint8_t>(width, 0));
            macro.word.assign(width, 0);
            macro.next.assign(width, 0);
            macros.push_back(macro);
        }
    }
    following.assign(registers.size(), 0);
}

void Netlist::settle(const svBitVecVal* in, svBitVecVal* out) {
    for (size_t i = 0; i < inputs.size(); i++) value[inputs[i]] = in[i / 32] >> (i % 32) & 1;
    uint8_t* v = value.data();
    for (const Gate& gate : gates) {
        const uint32_t at = v[gate.in[0]] | v[gate.in[1]] << 1 | v[gate.in[2]] << 2 | v[gate.in[3]] << 3;
        v[gate.out] = gate.table >> at & 1;
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        if (i % 32 == 0) out[i / 32] = 0;
        out[i / 32] |= static_cast<uint32_t>(v[outputs[i]]) << (i % 32);
    }
}

size_t address(const Netlist& all, const Nets& nets) {
    size_t found = 0;
    for (size_t i = 0; i < nets.size(); i++) found |= static_cast<size_t>(all.value[nets[i]]) << i;
    return found;
}

void step(const Netlist& all, Macro& macro, bool counting) {
    macro.next = macro.word;
    const bool read = all.value[macro.read_enable], write = all.value[macro.write_enable];
    const size_t from = address(all, macro.read_address), to = address(all, macro.write_address);
    if (read && from < macro.words.size()) macro.word = macro.words[from];
    if (write && to < macro.words.size())
        for (size_t i = 0; i < macro.write_data.size(); i++) macro.words[to][i] = all.value[macro.write_data[i]];
    if (counting) {
        macro.reads += read;
        macro.writes += write;
    }
}

// The cycle's settled values are all there: count them, then let registers and macros take theirs.
void Netlist::clock(bool counting) {
    if (counting) count();
    before = value;
    for (size_t i = 0; i < registers.size(); i++) following[i] = value[registers[i].d];
    for (auto& macro : macros) step(*this, macro, counting);
    for (size_t i = 0; i < registers.size(); i++) value[registers[i].q] = following[i];
    for (auto& macro : macros)
        for (size_t i = 0; i < macro.read_data.size(); i++) value[macro.read_data[i]] = macro.next[i];
}

void Netlist::count() {
    const size_t many = value.size();
    for (size_t i = 0; i < many; i++) toggled[i] += value[i] ^ before[i];
    for (size_t i = 0; i < many; i++) high[i] += value[i];
    if (++cycles % 255 == 0) flush();
}

// Counts of one byte, emptied before they can overflow, keep the loops above short.
void Netlist::flush() {
    for (size_t i = 0; i < value.size(); i++) {
        toggles[i] += toggled[i];
        highs[i] += high[i];
        toggled[i] = high[i] = 0;
    }
}

void Netlist::save() {
    flush();
    std::ofstream file("activity.txt");
    file << "cycles " << cycles << "\n";
    for (size_t i = 0; i < value.size(); i++) file << "net " << toggles[i] << " " << highs[i] << "\n";
    for (const auto& macro : macros) file << "macro " << macro.reads << " " << macro.writes << "\n";
}

Netlist netlist;

}  // namespace

extern "C" void halidehw_gates_open() {
    std::ifstream file("netlist.txt");
    netlist.load(file);
}

extern "C" void halidehw_gates_settle(svBit, const svBitVecVal* in, svBitVecVal* out) { netlist.settle(in, out); }

extern "C" void halidehw_gates_clock(svBit counting) { netlist.clock(counting); }

extern "C" void halidehw_gates_close() { netlist.save(); }
