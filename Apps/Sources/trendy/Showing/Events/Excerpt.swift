/// The first items of a long list.
struct Excerpt<Item> {
  let shown: ArraySlice<Item>
  /// Line with the number of omitted items, or `nil` if all are shown.
  let rest: String?

  init(_ items: [Item]) {
    shown = items.prefix(20)
    let left = items.count - shown.count
    rest = left > 0 ? "… and \(left) more; --json lists all" : nil
  }
}
