/// HTML in which literals are markup and interpolated strings are escaped.
///
/// ```swift
/// let row: Markup = "<td>\(type.name)</td>"  // the name is escaped
/// ```
struct Markup: ExpressibleByStringInterpolation {
  private(set) var source: String

  init(stringLiteral source: String) { self.source = source }

  init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

  init(_ parts: some Sequence<Markup>) { source = parts.reduce(into: "") { $0 += $1.source } }

  static func += (left: inout Markup, right: Markup) { left.source += right.source }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity * 2) }

    mutating func appendLiteral(_ literal: String) { source += literal }

    /// Appends text with HTML escapes, which are also valid in quoted attributes.
    mutating func appendInterpolation(_ text: String) {
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": source += "&amp;"
        case "<": source += "&lt;"
        case ">": source += "&gt;"
        case "\"": source += "&quot;"
        case "'": source += "&#39;"
        case "\n", "\t": source.unicodeScalars.append(scalar)
        // Control characters are invalid in HTML.
        case _ where scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint:
          source += "\u{FFFD}"
        default: source.unicodeScalars.append(scalar)
        }
      }
    }

    /// Appends a name typed by the user and isolates its text direction from the surrounding text.
    mutating func appendInterpolation(name: String) {
      source += "<bdi>"
      appendInterpolation(name)
      source += "</bdi>"
    }

    mutating func appendInterpolation(_ quantity: Quantity) { appendInterpolation(quantity.description) }

    mutating func appendInterpolation(_ number: Int) { source += "\(number)" }

    /// Appends an SVG length or coordinate with at most one decimal.
    mutating func appendInterpolation(_ number: Double) {
      let tenths = Int((number * 10).rounded())
      source += tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    mutating func appendInterpolation(_ markup: Markup) { source += markup.source }
    mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { source += part.source } }
    mutating func appendInterpolation(_ markup: Markup?) { source += markup?.source ?? "" }
  }
}
