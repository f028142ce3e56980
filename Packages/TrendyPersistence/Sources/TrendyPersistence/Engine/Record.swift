#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Memory that records lie in.
///
/// `@unchecked`: bytes of a record are written before the record can be found (under the engine's lock, which also orders
/// the memory) and never again; only the owner of the write lock writes, beyond what can be found.
final class RecordMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let count: Int

  /// Zeroed, as a fresh chunk is.
  init(zeroed count: Int) {
    #if os(Linux)
      if let large = LargePages(count) {
        pages = large
        base = large.base
        self.count = count
        return
      }
    #endif
    guard let base = calloc(max(count, 8), 1) else { preconditionFailure("no memory for \(count) bytes of records") }
    self.base = base
    self.count = count
  }

  /// As it happens to be.
  init(_ count: Int) {
    guard let base = malloc(max(count, 8)) else { preconditionFailure("no memory for \(count) bytes of records") }
    self.base = base
    self.count = count
  }

  #if os(Linux)
    /// What ``base`` lies in, if not in memory of its own.
    private var pages: LargePages?

    deinit { if pages == nil { free(base) } }
  #else
    deinit { free(base) }
  #endif

  /// Has the system give memory for these bytes in one step, instead of at the first touch of each page. A hint.
  func bringIn(from offset: Int, count: Int) {
    #if os(Linux)
      let page = 4096
      let start = (Int(bitPattern: base) + offset + page - 1) & -page
      let end = (Int(bitPattern: base) + offset + count) & -page
      guard start < end else { return }
      // MADV_POPULATE_WRITE; an older system refuses.
      _ = madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, 23)
    #endif
  }

  /// Whether nothing but zeros lies from `offset` to the end.
  func isZero(from offset: Int) -> Bool { isZero(from: offset, count: count - offset) }

  func isZero(from offset: Int, count: Int) -> Bool {
    guard count > 0 else { return true }
    // All equal their neighbour, and the first is zero.
    return base.load(fromByteOffset: offset, as: UInt8.self) == 0
      && memcmp(base + offset, base + offset + 1, count - 1) == 0
  }

  func bytes(from offset: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + offset, count: count)
  }
}

#if os(Linux)
  /// Zeroed memory of which the system gives 2 MiB at a first touch, where it has them: a log that grows would ask for each 4 KiB.
  private final class LargePages {
    private static let bytes = 2 << 20
    let base: UnsafeMutableRawPointer
    private let count: Int

    init?(_ count: Int) {
      guard count >= Self.bytes else { return nil }
      self.count = (count + Self.bytes - 1) / Self.bytes * Self.bytes
      let whole = self.count + Self.bytes
      let access = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS)
      guard let start = mmap(nil, whole, access.0, access.1, -1, 0), start != MAP_FAILED else { return nil }
      // Large pages begin at multiples of their length.
      let before = -Int(bitPattern: start) & (Self.bytes - 1)
      base = start + before
      if before > 0 { munmap(start, before) }
      munmap(base + self.count, whole - before - self.count)
      // MADV_HUGEPAGE; where the system refuses, pages are small.
      _ = madvise(base, self.count, 14)
    }

    deinit { munmap(base, count) }
  }
#endif

/// Keeps alive every memory that a set of records lies in.
final class RecordPin: Sendable {
  let memories: [RecordMemory]
  let mapping: (any MappedFile)?
  let others: [RecordPin]

  init(memories: [RecordMemory], mapping: (any MappedFile)? = nil, others: [RecordPin] = []) {
    self.memories = memories
    self.mapping = mapping
    self.others = others
  }
}

/// One row of a store: a view on bytes in memory, which it keeps alive. Cheap to hold, safe to send.
///
/// `@unchecked`: the bytes behind the pointer are never written again (see `RecordMemory`), and the pin keeps them.
public struct Record: @unchecked Sendable {
  let pointer: UnsafeRawPointer
  let pin: RecordPin

  /// What the owner of the store means by it; with ``key`` it names the record.
  public var kind: UInt8 { RecordLayout.kind(pointer) }
  public var key: RecordKey { RecordLayout.key(pointer) }
  /// What scans go by: a time on a device, a version at a hub.
  public var sort: Int64 { RecordLayout.sort(pointer) }
  /// What scans can be narrowed to; 0 for none.
  public var group: UInt64 { RecordLayout.group(pointer) }
  public var payloadCount: Int { RecordLayout.payloadCount(pointer) }

  public func withPayload<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(pin) {} }
    return try body(UnsafeRawBufferPointer(start: pointer + RecordLayout.headerBytes, count: payloadCount))
  }

  /// Whether the payload is these bytes.
  func isPayload(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == payloadCount else { return false }
    return withPayload { own in
      guard let left = own.baseAddress, let right = bytes.baseAddress else { return true }
      return memcmp(left, right, own.count) == 0
    }
  }

  /// A copy.
  public var payload: [UInt8] { withPayload { Array($0) } }
}

/// What a scan found, in its order. It keeps what it shows, whatever is saved meanwhile.
///
/// `@unchecked`: as ``Record``.
public struct RecordList: RandomAccessCollection, @unchecked Sendable {
  let pointers: [UnsafeRawPointer]
  let pin: RecordPin

  public var startIndex: Int { 0 }
  public var endIndex: Int { pointers.count }
  public subscript(position: Int) -> Record { Record(pointer: pointers[position], pin: pin) }
}
