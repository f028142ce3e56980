import CommandSupport
import TrendyInterchange

/// Help on an import or export format, such as `trendy help import loop`.
enum FormatGuide {
  /// Returns the help on a format, or `nil` if the topic is not a format.
  static func text(on topic: [String], width: Int) -> String? {
    guard topic.count == 2, ["import", "export"].contains(topic[0]), let format = InterchangeFormat.named(topic[1])
    else { return nil }
    func words(_ contents: InterchangeFormat.Contents) -> String { contents.isEmpty ? "no" : contents.words }
    var rows: [(label: String, text: String)] = [("Import", words(format.reads)), ("Export", words(format.writes))]
    if let guide = format.guide {
      rows += [("How to get it", guide.origin), ("Result", guide.result)]
    }
    rows.append(("Based on", format.basis))
    var lines = ["\(format.word): \(format.name)"] + Terminal(width: width).lines(of: format.summary) + [""]
    lines += Terminal.columns(rows, width: width)
    lines.append("")
    if !format.reads.isEmpty { lines.append("  trendy import \(format.word) FILE") }
    if !format.writes.isEmpty { lines.append("  trendy export \(format.word) FILE") }
    return lines.joined(separator: "\n")
  }
}
