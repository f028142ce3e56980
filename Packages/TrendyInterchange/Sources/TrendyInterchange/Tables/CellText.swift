import TrendyFoundation

/// Interprets cells of event tables as marks and words.
enum CellText {
  /// Returns the cell at an index, or `nil` if the cell does not exist or is empty.
  static func cell(_ cells: [String], _ index: Int) -> String? {
    index >= 0 && index < cells.count && !isNothing(cells[index]) ? cells[index] : nil
  }

  /// Labels of rows that contain totals.
  static let totals: Set<String> = [
    "sum", "total", "totals", "summe", "gesamt", "totaal", "suma", "somme", "totale",
  ]

  /// Cells that mean that a habit was not done.
  static let notDone: Set<String> = [
    "0", "no", "n", "false", "missed", "miss", "skip", "skipped", "fail", "failed", "not done", "none", "nein", "nee",
    "non", "nicht", "-", "\u{2013}", "✗", "✘", "❌", "☐", "n/a", "#n/a", "null",
  ]

  /// Cells that mean that a habit was done, in addition to the words that ``boolean(_:)`` accepts.
  private static let done: Set<String> = [
    "y", "done", "yep", "ok", "complete", "completed", "check", "checked", "☑", "✔", "✔\u{FE0F}", "✅", "*", "•", "+",
    "si", "sí",
  ]

  static let weekdays: Set<String> = Set(
    [
      "monday tuesday wednesday thursday friday saturday sunday", "mon tue wed thu fri sat sun",
      "montag dienstag mittwoch donnerstag freitag samstag sonntag", "mo di mi do fr sa so",
      "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
      "lundi mardi mercredi jeudi vendredi samedi dimanche",
      "lunes martes miércoles jueves viernes sábado domingo",
    ].flatMap { $0.split(separator: " ").map(String.init) })

  static func isMark(_ text: String) -> Bool {
    let text = text.lowercased()
    return boolean(text) != nil || notDone.contains(text) || done.contains(text)
  }

  /// Returns whether a timestamp ends with `Z` or an offset, so that it does not depend on a zone.
  static func hasOffset(_ text: String) -> Bool {
    guard text.count > 10 else { return false }
    if text.hasSuffix("Z") { return true }
    let tail = text.suffix(6)
    guard let sign = tail.lastIndex(where: { $0 == "+" || $0 == "-" }), text.contains(":") else { return false }
    return tail[tail.index(after: sign)...].allSatisfy { $0.isNumber || $0 == ":" }
  }

  private static func isNothing(_ text: String) -> Bool {
    text.isEmpty || text == "-" || text == "n/a" || text == "N/A" || text == "#N/A"
  }

  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "x", "✓", "ja", "oui", "1": true
    case "false", "no", "nein", "nee", "non", "0": false
    default: nil
    }
  }

  static func withoutMarkup(_ text: String) -> String {
    var plain = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "<") {
      plain += rest[..<open]
      guard let close = rest[open...].firstIndex(of: ">") else {
        plain += rest[open...]
        rest = ""
        break
      }
      let tag = rest[rest.index(after: open)..<close].lowercased()
      if tag.hasPrefix("br") || tag == "/li" || tag == "/p" || tag == "/div" { plain += "\n" }
      rest = rest[rest.index(after: close)...]
    }
    plain += rest
    for (name, character) in [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
      plain = plain.replacing(name, with: character)
    }
    return FieldText.trim(plain)
  }
}
