// Tables as data, rendered as terminal text, as Markdown or as JSON: what is shown is decided once.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace gvf::study {

struct Column {
  std::string name;
  bool is_number = true;  // aligned right
};

// Cells, or the first cells and what is wrong with the row in place of the rest.
struct TableRow {
  std::vector<std::string> cells;
  std::string message;
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<TableRow> rows;
  std::vector<std::string> notes;  // lines below the table
};

struct Heading {
  int level = 1;
  std::string text;
};
struct Paragraph {
  std::string text;
};
struct Bullets {
  std::vector<std::string> lines;
};

using Block = std::variant<Heading, Paragraph, Bullets, Table>;
using Document = std::vector<Block>;

[[nodiscard]] std::string to_text(const Document& document);
[[nodiscard]] std::string to_markdown(const Document& document);
[[nodiscard]] nlohmann::json to_json(const Document& document);

}  // namespace gvf::study
