/// Growable integer array with a single owner.
///
/// Appends without the exclusivity and uniqueness checks of an `Array` that is stored in a class property.
final class Column<Element: FixedWidthInteger & BitwiseCopyable> {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 0) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  init(zeros count: Int) {
    capacity = max(count, 1)
    base = .allocate(capacity: capacity)
    base.initialize(repeating: 0, count: count)
    self.count = count
  }

  deinit { base.deallocate() }

  @inline(__always) func append(_ element: Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  @inline(__always) subscript(index: Int) -> Element {
    get { base[index] }
    set { base[index] = newValue }
  }

  func removeAll() { count = 0 }

  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  @inline(never) private func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
