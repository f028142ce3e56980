import TrendyModels

/// A pairing link as a camera reads it: a square of dark and light modules.
public struct PairingPicture: Hashable, Sendable {
  /// Makes the picture for a code that was asked for at an address, such as `http://hub.example:8787`; `nil` where no device but
  /// this machine's own could use it.
  public typealias Maker = @Sendable (_ code: String, _ address: String?) -> PairingPicture?

  /// The text in it.
  public var link: String
  /// Modules a side, without the light ones that have to be around it.
  public var size: Int
  /// The dark modules as the path of an SVG, a module a unit from the upper left corner.
  public var path: String

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

  /// As the API has it.
  var document: JSONValue { ["link": .string(link), "size": .int(Int64(size)), "path": .string(path)] }
}
