/// A number of things in words: `1 row`, `2 rows`.
struct Quantity: CustomStringConvertible {
  private let count: Int
  private let thing: String

  init(_ count: Int, _ thing: String) {
    self.count = count
    self.thing = thing
  }

  var description: String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
