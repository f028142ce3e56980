/// The beginning of a list that is too long to be read: the rest is counted.
struct Excerpt<Item> {
  let shown: ArraySlice<Item>
  /// The line that counts the rest; `nil` where all is shown.
  let rest: String?

  init(_ items: [Item]) {
    shown = items.prefix(20)
    let left = items.count - shown.count
    rest = left > 0 ? "… and \(left) more: --json lists them" : nil
  }
}
