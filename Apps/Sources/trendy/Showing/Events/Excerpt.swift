/// First items of a list, with the number of the others.
struct Excerpt<Item> {
  let shown: ArraySlice<Item>
  /// Line with the number of other items, if any.
  let rest: String?

  init(_ items: [Item]) {
    shown = items.prefix(20)
    let left = items.count - shown.count
    rest = left > 0 ? "… and \(left) more; --json lists all" : nil
  }
}
