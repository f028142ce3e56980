/// The last group that somebody saw reach the disk, noted in the lock file (docs/format.md, "Lock").
///
/// A process that saves once and ends has no later group to say so in. The next one reads it here; without it all that was
/// saved by such processes would look like saves that may never have finished. A hint: it is not synced, and where it is
/// old, missing or of another store's files, less is taken to be known than is.
struct DurableMark: Hashable {
  private static let bytes = 32

  var storeID: UInt64
  var sequence: UInt64
  /// That of the group: a store that was copied has other groups under the same numbers.
  var checksum: UInt64

  init(storeID: UInt64, sequence: UInt64, checksum: UInt64) {
    self.storeID = storeID
    self.sequence = sequence
    self.checksum = checksum
  }

  /// `nil` where there is none, or one that was half written.
  init?(of lock: any OpenFile) {
    let memory = RecordMemory(zeroed: Self.bytes)
    // A mark that cannot be read is none.
    guard
      let count = try? lock.read(
        into: UnsafeMutableRawBufferPointer(start: memory.base, count: Self.bytes), at: 0),
      count == Self.bytes, word(memory.base, 24) == Checksum.xxh64(memory.bytes(from: 0, count: 24)),
      word(memory.base, 8) <= StoreFormat.largestNumber
    else { return nil }
    self.init(
      storeID: word(memory.base, 0), sequence: word(memory.base, 8), checksum: word(memory.base, 16))
  }

  /// Whether a save was confirmed that lies beyond the end of this log: then what is there is no save that never finished.
  func isAhead(of sequence: UInt64, in manifest: Manifest) -> Bool {
    storeID == manifest.storeID && self.sequence > sequence
  }

  /// - Parameter counter: that of the file, if there is one: without a call to the system, and a new time for the file that the next
  ///   sync would have to write.
  func write(to lock: any OpenFile, with counter: (any SharedCounter)?) {
    let memory = RecordMemory(zeroed: Self.bytes)
    store(storeID, memory.base, 0)
    store(sequence, memory.base, 8)
    store(checksum, memory.base, 16)
    store(Checksum.xxh64(memory.bytes(from: 0, count: 24)), memory.base, 24)
    let bytes = memory.bytes(from: 0, count: Self.bytes)
    if let counter, counter.put(bytes) { return }
    // The save is durable without it.
    try? lock.write(bytes, at: 0)
  }
}
