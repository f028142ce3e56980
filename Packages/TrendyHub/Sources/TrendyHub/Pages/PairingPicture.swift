import TrendyModels

/// QR code of a pairing link: a square of dark and light modules.
public struct PairingPicture: Hashable, Sendable {
  /// Creates the QR code for a pairing code and the hub's URL, such as `http://hub.example:8787`.
  ///
  /// Returns `nil` if the URL is reachable only from this machine.
  public typealias Maker = @Sendable (_ code: String, _ address: String?) -> PairingPicture?

  /// Link encoded in the QR code.
  public var link: String
  /// Modules per side, without the required light margin.
  public var size: Int
  /// Dark modules as an SVG path, in units of one module, starting at the top left corner.
  public var path: String

  /// Creates a picture from the colour of each module.
  public init(link: String, size: Int, isDark: (_ row: Int, _ column: Int) -> Bool) {
    self.link = link
    self.size = size
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        let start = column
        while column < size, isDark(row, column) { column += 1 }
        if column > start { path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z" }
        column += 1
      }
    }
    self.path = path
  }

  var document: JSONValue { ["link": .string(link), "size": .int(Int64(size)), "path": .string(path)] }
}
