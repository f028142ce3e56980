#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Colour of an event type. Its lightness, but not its hue, is adapted to light and dark backgrounds.
///
/// Bars and cells have a contrast of at least 3:1 with the background, and letters 4.5:1 with the disc behind them
/// (WCAG 2.2). The dashboard uses the same algorithm (`parts/colour.js`).
struct TypeColour: Hashable {
  private(set) var mark: String
  private(set) var ink: String
  private(set) var darkMark: String
  private(set) var darkInk: String

  /// Standard colours with all four variants predefined.
  private static let palette = [
    TypeColour(mark: "#73392e", ink: "#73392e", darkMark: "#b27164", darkInk: "#c78577"),
    TypeColour(mark: "#0197bd", ink: "#027290", darkMark: "#9fe4ff", darkInk: "#9fe4ff"),
    TypeColour(mark: "#957007", ink: "#856402", darkMark: "#d3a32d", darkInk: "#d3a32d"),
    TypeColour(mark: "#513889", ink: "#513889", darkMark: "#856fc6", darkInk: "#9d88e1"),
    TypeColour(mark: "#4464c0", ink: "#4362bf", darkMark: "#9fbafe", darkInk: "#9fbafe"), slate,
    TypeColour(mark: "#645d02", ink: "#645d02", darkMark: "#958c00", darkInk: "#a39921"),
    TypeColour(mark: "#b12f60", ink: "#b12f60", darkMark: "#ffb4c7", darkInk: "#ffb4c7"),
    TypeColour(mark: "#009353", ink: "#057944", darkMark: "#57c685", darkInk: "#57c685"),
    TypeColour(mark: "#609d10", ink: "#467604", darkMark: "#abe07e", darkInk: "#abe07e"),
    TypeColour(mark: "#8849a2", ink: "#8849a2", darkMark: "#c184dc", darkInk: "#c184dc"),
    TypeColour(mark: "#036767", ink: "#036767", darkMark: "#3a9595", darkInk: "#4ca5a4"),
  ]
  private static let slate = TypeColour(mark: "#747985", ink: "#646975", darkMark: "#9da3b0", darkInk: "#9da3b0")

  private init(mark: String, ink: String, darkMark: String, darkInk: String) {
    (self.mark, self.ink, self.darkMark, self.darkInk) = (mark, ink, darkMark, darkInk)
  }

  /// Adapts a colour, given as `#RRGGBB`, to light and dark backgrounds. If it is invalid, slate is used.
  init(_ hex: String) {
    let key = hex.lowercased()
    if let known = Self.palette.first(where: { $0.mark == key }) {
      self = known
    } else if let colour = SRGB(hex: key) {
      let (light, dark) = (Theme.light.fit(colour), Theme.dark.fit(colour))
      self.init(mark: light.mark.hex, ink: light.ink.hex, darkMark: dark.mark.hex, darkInk: dark.ink.hex)
    } else {
      self = Self.slate
    }
  }
}

/// Background colours and the lightness range of foreground colours.
private struct Theme {
  var ground: SRGB
  var surface: SRGB
  /// Share of the mark colour in the disc behind a letter.
  var wash: Double
  var lightness: ClosedRange<Double>
  /// Lightness change per step that increases the contrast with the background.
  var step: Double

  static let light = Theme(
    ground: SRGB(0xF9F8F6), surface: SRGB(0xFFFFFF), wash: 0.13, lightness: 0.42...0.63, step: -0.01)
  static let dark = Theme(
    ground: SRGB(0x101114), surface: SRGB(0x181A1E), wash: 0.2, lightness: 0.6...0.88, step: 0.01)

  func fit(_ colour: SRGB) -> (mark: SRGB, ink: SRGB) {
    var colour = OKLCH(colour)
    colour.lightness = min(max(colour.lightness, lightness.lowerBound), lightness.upperBound)
    colour.chroma = min(colour.chroma, 0.17)
    func walk(until isEnough: (SRGB) -> Bool) -> SRGB {
      while !isEnough(colour.srgb), (0.01..<0.99).contains(colour.lightness) { colour.lightness += step }
      return colour.srgb
    }
    let mark = walk { $0.contrast(to: ground) >= 3.05 }
    let disc = mark.mixed(with: surface, share: wash)
    return (mark, walk { $0.contrast(to: disc) >= 4.6 })
  }
}

private struct SRGB {
  /// sRGB components, 0 to 1.
  var red, green, blue: Double

  init(red: Double, green: Double, blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }

  init(_ number: Int) {
    func part(_ shift: Int) -> Double { Double(number >> shift & 255) / 255 }
    self.init(red: part(16), green: part(8), blue: part(0))
  }

  init?(hex: String) {
    guard hex.utf8.count == 7, hex.hasPrefix("#"), let number = Int(hex.dropFirst(), radix: 16), number >= 0 else {
      return nil
    }
    self.init(number)
  }

  var hex: String {
    "#"
      + [red, green, blue].map { part in
        let byte = Int((part * 255).rounded())
        return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
  }

  static func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
  static func encoded(_ part: Double) -> Double {
    part <= 0.0031308 ? part * 12.92 : 1.055 * pow(part, 1 / 2.4) - 0.055
  }

  private var luminance: Double {
    0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
  }

  /// Returns the WCAG 2.2 contrast ratio after rounding this colour to 8 bits per component.
  func contrast(to other: SRGB) -> Double {
    let (one, two) = (SRGB(hex: hex)?.luminance ?? luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  func mixed(with other: SRGB, share: Double) -> SRGB {
    func mix(_ path: KeyPath<SRGB, Double>) -> Double {
      self[keyPath: path] * share + other[keyPath: path] * (1 - share)
    }
    return SRGB(red: mix(\.red), green: mix(\.green), blue: mix(\.blue))
  }
}

/// Colour as lightness, chroma and hue in OKLab (B. Ottosson, 2020).
private struct OKLCH {
  var lightness, chroma, hue: Double

  init(_ colour: SRGB) {
    let (r, g, b) = (SRGB.linear(colour.red), SRGB.linear(colour.green), SRGB.linear(colour.blue))
    let l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    let m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    let s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
    let a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
    let b2 = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
    (chroma, hue) = (hypot(a, b2), atan2(b2, a))
  }

  /// Colour in sRGB, with its chroma reduced if it is outside the gamut.
  var srgb: SRGB {
    var rest = chroma
    while true {
      let (a, b) = (max(0, rest) * cos(hue), max(0, rest) * sin(hue))
      let l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3)
      let m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3)
      let s = pow(lightness - 0.0894841775 * a - 1.291485548 * b, 3)
      let parts = [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
      ]
      if rest <= 0 || parts.allSatisfy({ (-0.0005...1.0005).contains($0) }) {
        let shown = parts.map { SRGB.encoded(min(1, max(0, $0))) }
        return SRGB(red: shown[0], green: shown[1], blue: shown[2])
      }
      rest -= 0.005
    }
  }
}
