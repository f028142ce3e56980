/// Number with a singular or plural noun, such as `1 row`, `2 rows` or `3 entries`.
struct Quantity: CustomStringConvertible {
  private let count: Int
  private let thing: String
  private let things: String

  init(_ count: Int, _ thing: String, _ things: String? = nil) {
    self.count = count
    self.thing = thing
    self.things = things ?? thing + "s"
  }

  var description: String { "\(count) \(count == 1 ? thing : things)" }
}
