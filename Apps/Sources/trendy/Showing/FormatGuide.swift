import CommandSupport
import TrendyInterchange

/// Help on an import or export format, such as `trendy help import loop`.
enum FormatGuide {
  /// Returns a line for each format that can be imported: its name, and how to get a file.
  private static var list: String {
    let rows = InterchangeFormat.readable.map { (label: $0.word, text: $0.guide?.origin ?? $0.summary) }
    // Wide enough for one line per format.
    let lines = ["Formats that can be imported, and where to find a file:", ""] + Terminal.columns(rows, width: 1000)
    return (lines + ["", "Details: trendy help import FORMAT"]).joined(separator: "\n")
  }

  /// Returns the help on a format, or the list of formats.
  /// - Returns: `nil` if the topic is not a format.
  static func text(on topic: [String], width: Int) -> String? {
    if topic == ["formats"] { return list }
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
