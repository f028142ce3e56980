import CommandSupport
import TrendyInterchange

/// Help on one format, of `trendy help import loop`.
enum FormatGuide {
  /// - Returns: `nil` where the topic is not of a format.
  static func text(on topic: [String]) -> String? {
    guard topic.count == 2, ["import", "export"].contains(topic[0]), let format = InterchangeFormat.named(topic[1])
    else { return nil }
    func words(_ contents: InterchangeFormat.Contents) -> String { contents.isEmpty ? "no" : contents.words }
    var rows = [("Read", words(format.reads)), ("Written", words(format.writes))]
    if let guide = format.guide {
      rows += [("How to get it", guide.origin), ("What it becomes", guide.result)]
    }
    rows.append(("Held against", format.basis))
    var lines = ["\(format.word): \(format.name)", format.summary, ""]
    for (name, text) in rows { lines += row(name, text) }
    lines.append("")
    if !format.reads.isEmpty { lines.append("  trendy import \(format.word) FILE") }
    if !format.writes.isEmpty { lines.append("  trendy export \(format.word) FILE") }
    return lines.joined(separator: "\n")
  }

  /// Two columns of 80 together.
  private static func row(_ name: String, _ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + word.count + 1 > 62 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    lines.append(line)
    return lines.enumerated().map { index, line in
      let head = index == 0 ? name : ""
      return head + String(repeating: " ", count: 17 - head.count) + line
    }
  }
}
