// Implements study/recordings/render.hpp.
#include "study/recordings/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gvf::study {

using nlohmann::json;

namespace {

// Characters, not bytes: µ and × take two bytes and one column.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

// A message may be longer than its column: it widens none.
std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) widths.push_back(width_of(column.name));
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row.cells[i]));
  }
  return widths;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string text_table(const Table& table) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::string out = table.title.empty() ? "" : table.title + "\n";
  const auto line = [&](const std::vector<std::string>& cells, const std::string& message) {
    std::string text = "  ";
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += padded(cells[i], widths[i], table.columns[i].is_number) + "  ";
    out += without_trailing_blanks(text + message) + "\n";
  };
  std::vector<std::string> names;
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    names.push_back(table.columns[i].name);
    rules.push_back(std::string(widths[i], '-'));
  }
  line(names, "");
  line(rules, "");
  for (const TableRow& row : table.rows) line(row.cells, row.message);
  for (const std::string& note : table.notes) out += "  " + note + "\n";
  return out;
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string markdown_table(const Table& table) {
  std::string out = table.title.empty() ? "" : "**" + table.title + "**\n\n";
  std::string rule = "|";
  out += "|";
  for (const Column& column : table.columns) {
    out += " " + markdown_cell(column.name) + " |";
    rule += column.is_number ? "---:|" : "---|";
  }
  out += "\n" + rule + "\n";
  for (const TableRow& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i < row.cells.size())
        out += " " + markdown_cell(row.cells[i]) + " |";
      else
        out += i == row.cells.size() ? " " + markdown_cell(row.message) + " |" : " |";
    }
    out += "\n";
  }
  for (const std::string& note : table.notes) out += "\n" + note + "\n";
  return out;
}

struct TextOf {
  std::string operator()(const Heading& heading) const {
    const char rule = heading.level <= 1 ? '=' : '-';
    return heading.text + "\n" + (heading.level <= 2 ? std::string(width_of(heading.text), rule) + "\n" : "");
  }
  std::string operator()(const Paragraph& paragraph) const { return paragraph.text + "\n"; }
  std::string operator()(const Bullets& bullets) const {
    std::string out;
    for (const std::string& line : bullets.lines) out += "- " + line + "\n";
    return out;
  }
  std::string operator()(const Table& table) const { return text_table(table); }
};

struct MarkdownOf {
  std::string operator()(const Heading& heading) const {
    return std::string(static_cast<std::size_t>(heading.level), '#') + " " + heading.text + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const { return paragraph.text + "\n"; }
  std::string operator()(const Bullets& bullets) const { return TextOf{}(bullets); }
  std::string operator()(const Table& table) const { return markdown_table(table); }
};

struct JsonOf {
  json operator()(const Heading& heading) const {
    return {{"heading", heading.text}, {"level", heading.level}};
  }
  json operator()(const Paragraph& paragraph) const { return {{"paragraph", paragraph.text}}; }
  json operator()(const Bullets& bullets) const { return {{"bullets", bullets.lines}}; }
  json operator()(const Table& table) const {
    json columns = json::array();
    for (const Column& column : table.columns) columns.push_back(column.name);
    json rows = json::array();
    for (const TableRow& row : table.rows) {
      json cells = {{"cells", row.cells}};
      if (!row.message.empty()) cells["message"] = row.message;
      rows.push_back(std::move(cells));
    }
    return {{"table", table.title}, {"columns", columns}, {"rows", rows}, {"notes", table.notes}};
  }
};

template <class Render>
std::string joined(const Document& document, Render render) {
  std::string out;
  for (const Block& block : document) {
    if (!out.empty()) out += "\n";
    out += std::visit(render, block);
  }
  return out;
}

}  // namespace

std::string to_text(const Document& document) {
  return joined(document, TextOf{});
}
std::string to_markdown(const Document& document) {
  return joined(document, MarkdownOf{});
}

json to_json(const Document& document) {
  json blocks = json::array();
  for (const Block& block : document) blocks.push_back(std::visit(JsonOf{}, block));
  return blocks;
}

}  // namespace gvf::study
