#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Synchronization

/// Counter in the first page of a mapped file.
///
/// `@unchecked`: accessed only with atomic operations.
final class PosixCounter: SharedCounter, @unchecked Sendable {
  static let bytes = 4096
  private let page: UnsafeMutableRawPointer
  private let word: UnsafeMutablePointer<Atomic<UInt64>>

  init(_ page: UnsafeMutableRawPointer) {
    self.page = page
    word = (page + 64).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  deinit { munmap(page, Self.bytes) }

  var value: UInt64 { word.pointee.load(ordering: .acquiring) }

  func advance() -> UInt64 { word.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

  func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let words = page.assumingMemoryBound(to: Atomic<UInt64>.self)
    for index in 0..<bytes.count / 8 {
      words[index].store(bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self), ordering: .relaxed)
    }
    return true
  }
}

/// Mapped pages of a file.
///
/// `@unchecked`: neither `bytes` nor the mapped memory changes after the file has been mapped.
final class PosixMapping: MappedFile, @unchecked Sendable {
  static let largePage = 2 << 20
  let bytes: UnsafeRawBufferPointer
  /// Reserved address range, which may be larger than the file.
  private let space: UnsafeMutableRawBufferPointer
  private let isInSmallPages: Bool

  init(_ space: UnsafeMutableRawBufferPointer, at offset: Int = 0, of size: Int, inSmallPages: Bool = false) {
    self.space = space
    isInSmallPages = inSmallPages
    bytes = UnsafeRawBufferPointer(rebasing: space[offset..<offset + size])
  }

  deinit {
    if let start = space.baseAddress { munmap(start, space.count) }
  }

  #if os(Linux) && !TRENDY_PORTABLE
    func letGo(_ range: Range<Int>) {
      let end = range.upperBound & -4096
      guard let base = bytes.baseAddress, end > 0 else { return }
      let start = (range.lowerBound + 4095) & -4096
      if start < end { _ = madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED) }
    }

    func bringIn(_ range: Range<Int>) {
      // With small pages, only accessed pages should be in memory.
      if isInSmallPages { return }
      let page = 4096
      let from = range.lowerBound / page * page
      guard let base = bytes.baseAddress, from < range.upperBound else { return }
      let start = UnsafeMutableRawPointer(mutating: base + from)
      let count = min(range.upperBound, bytes.count) - from
      // Skip ranges that would have to be read from disk, because few of their pages may be needed.
      let isHeld = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (count + page - 1) / page) { pages in
        mincore(start, count, pages.baseAddress) == 0 && pages.allSatisfy { $0 & 1 == 1 }
      }
      // MADV_POPULATE_READ. Older kernels reject this advice and map pages on access.
      if isHeld { _ = madvise(start, count, 22) }
    }
  #endif
}
