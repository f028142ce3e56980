/// Deadlines of many, the earliest first: a binary heap.
///
/// Nothing is taken out when a deadline moves: its owner keeps the present one, and on a deadline that has passed says when
/// to look again. So moving one costs nothing, and a look costs what has passed.
struct DeadlineQueue {
  private struct Entry {
    var time: Duration
    var owner: UInt64
  }

  /// Each but the first is not earlier than the one at half its place.
  private var heap: [Entry] = []
  /// The entry of each owner that counts: of several the earliest.
  private var earliest: [UInt64: Duration] = [:]

  /// Not after the earliest deadline; `nil` where there is none.
  var next: Duration? { heap.first?.time }

  /// Has the owner looked at by that time.
  mutating func add(_ time: Duration, of owner: UInt64) {
    if let known = earliest[owner], known <= time { return }
    earliest[owner] = time
    heap.append(Entry(time: time, owner: owner))
    var place = heap.count - 1
    while place > 0, heap[place].time < heap[(place - 1) / 2].time {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the next of those who wanted to be looked at by now; `nil` where there are no more.
  mutating func take(now: Duration) -> UInt64? {
    while let first = heap.first, first.time <= now {
      removeFirst()
      // What was said before an earlier deadline was added counts no more.
      guard earliest[first.owner] == first.time else { continue }
      earliest[first.owner] = nil
      return first.owner
    }
    return nil
  }

  mutating func forget(_ owner: UInt64) {
    guard earliest.removeValue(forKey: owner) != nil else { return }
    // Those that count no more are dropped before they are more than those that do.
    guard heap.count > 64, heap.count > 2 * earliest.count else { return }
    let counting = earliest.map { Entry(time: $0.value, owner: $0.key) }
    // What is sorted is a heap.
    heap = counting.sorted { $0.time < $1.time }
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var place = 0
    while true {
      let left = 2 * place + 1
      guard left < heap.count else { return }
      let child = left + 1 < heap.count && heap[left + 1].time < heap[left].time ? left + 1 : left
      guard heap[child].time < heap[place].time else { return }
      heap.swapAt(place, child)
      place = child
    }
  }
}
