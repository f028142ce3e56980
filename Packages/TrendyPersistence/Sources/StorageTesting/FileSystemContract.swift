import Synchronization
public import TrendyPersistence

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Tests that check whether a `FileSystem` implementation behaves as a store requires.
public enum FileSystemContract: Sendable {
  /// Check of one requirement.
  public struct Check: Sendable, CustomStringConvertible {
    public let description: String
    private let body: @Sendable (any FileSystem, String) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (any FileSystem, String) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Runs the check in an empty directory, and throws if the file system violates it.
    public func run(on files: any FileSystem, in directory: String) throws { try body(files, directory) }
  }

  /// Result that the contract does not allow.
  public struct Violation: Error, CustomStringConvertible {
    public let description: String
  }

  /// All checks in the contract.
  public static let all = folders + content + names + locks + watches

  private static let folders = [
    Check("createDirectory creates parents, accepts an existing folder, and fails at a file") { files, root in
      let path = root + "/a/b/c"
      try files.createDirectory(path)
      try files.createDirectory(path)
      try expect(files.names(inDirectory: path), [])
      try expect(files.names(inDirectory: root), ["a"])
      _ = try files.open(path + "/file", .create)
      try expect(.createDirectory, path + "/file", ENOTDIR) { try files.createDirectory(path + "/file") }
      try expect(.createDirectory, path + "/file/x", ENOTDIR) { try files.createDirectory(path + "/file/x") }
    },
    Check("rename moves a folder with its content to a free name; remove requires an empty folder") { files, root in
      try files.createDirectory(root + "/x/y")
      try files.createDirectory(root + "/z")
      try files.open(root + "/x/y/b", .create).write([1], at: 0)
      try expect(.remove, root + "/x/y", ENOTEMPTY) { try files.remove(root + "/x/y") }
      try expect(.rename, root + "/z", ENOTEMPTY) { try files.rename(root + "/z", to: root + "/x") }
      try files.rename(root + "/x", to: root + "/w")
      try expect(.list, root + "/x", ENOENT) { _ = try files.names(inDirectory: root + "/x") }
      try expect(bytes(files.open(root + "/w/y/b", .read)), [1])
      try files.remove(root + "/z")
      try expect(files.names(inDirectory: root), ["w"])
    },
    Check("a missing path cannot be opened, removed, renamed, listed or synchronized") { files, root in
      let path = root + "/a"
      for mode in [FileMode.read, .readWrite] { try expect(.open, path, ENOENT) { _ = try files.open(path, mode) } }
      try expect(.open, path + "/b", ENOENT) { _ = try files.open(path + "/b", .create) }
      try expect(.remove, path, ENOENT) { try files.remove(path) }
      try expect(.rename, path, ENOENT) { try files.rename(path, to: root + "/b") }
      try expect(.list, path, ENOENT) { _ = try files.names(inDirectory: path) }
      try expect(.syncDirectory, path, ENOENT) { try files.syncDirectory(path) }
    },
  ]

  private static let content = [
    Check("read returns written bytes and nothing past the end") { files, root in
      let path = root + "/file"
      let file = try files.open(path, .create)
      try file.write([1, 2, 3], at: 5)
      try file.synchronize()
      try expect(bytes(file), [0, 0, 0, 0, 0, 1, 2, 3])
      try expect(bytes(file, 2, at: 6), [2, 3])
      try expect(bytes(file, 2, at: 8), [])
      try file.allocate(4096)
      try expect(file.size(), 4096)
      try file.allocate(10)
      try expect(file.size(), 4096)
      try file.truncate(to: 6)
      try expect(bytes(files.open(path, .read)), [0, 0, 0, 0, 0, 1])
      try file.truncate(to: 8)
      try expect(bytes(file), [0, 0, 0, 0, 0, 1, 0, 0])
    },
    Check("a file opened for reading rejects writes; opening with create keeps the content") { files, root in
      let path = root + "/file"
      try files.open(path, .create).write([1], at: 0)
      let reader = try files.open(path, .read)
      try expect(.write, path, EBADF) { try reader.write([2], at: 0) }
      try expect(bytes(files.open(path, .create)), [1])
      try files.open(path, .readWrite).write([3], at: 1)
      try expect(bytes(reader), [1, 3])
    },
    Check("a mapping has the requested length and the file's bytes; it cannot exceed the file") { files, root in
      let path = root + "/file"
      let file = try files.open(path, .create)
      try file.write([1, 2, 3], at: 0)
      let mapping = try file.map(size: 2)
      try expect(withExtendedLifetime(mapping) { Array(mapping.bytes) }, [1, 2])
      mapping.bringIn(0..<2)
      mapping.letGo(0..<2)
      try expect(withExtendedLifetime(mapping) { Array(mapping.bytes) }, [1, 2])
      try expect(.map, path, EINVAL) { _ = try file.map(size: 4) }
    },
    Check("a counter is shared by all handles of a file") { files, root in
      let file = try files.open(root + "/file", .create)
      guard let counter = try file.counter() else { return }
      let other = try files.open(root + "/file", .read).counter()
      let before = counter.value
      try expect(counter.advance(), before + 1)
      try expect(other?.value, before + 1)
    },
  ]

  private static let names = [
    Check("rename replaces a file, and isInPlace is false for its open handles") { files, root in
      let old = try files.open(root + "/old", .create)
      let new = try files.open(root + "/new", .create)
      try new.write([1], at: 0)
      try expect(old.isInPlace(), true)
      try files.rename(root + "/new", to: root + "/old")
      try files.syncDirectory(root)
      try expect(files.names(inDirectory: root), ["old"])
      try expect(bytes(files.open(root + "/old", .read)), [1])
      try expect(old.isInPlace(), false)
      try expect(new.isInPlace(), false)
    },
    Check("a removed file remains usable through open handles") { files, root in
      let file = try files.open(root + "/file", .create)
      try files.remove(root + "/file")
      try expect(files.names(inDirectory: root), [])
      try expect(file.isInPlace(), false)
      try file.write([1, 2], at: 0)
      try expect(bytes(file), [1, 2])
    },
  ]

  private static let locks = [
    Check("a lock excludes other handles until it is released or its file is closed") { files, root in
      let path = root + "/lock"
      var first: (any OpenFile)? = try files.open(path, .create)
      let second = try files.open(path, .create)
      try expect(first?.tryLock(), true)
      try expect(second.tryLock(), false)
      try first?.unlock()
      try expect(second.tryLock(), true)
      try expect(first?.tryLock(), false)
      try second.unlock()
      try expect(first?.tryLock(), true)
      first = nil
      try expect(second.tryLock(), true)
    }
  ]

  private static let watches = [
    Check("a watch reports writes and renames in its folder through any handle") { files, root in
      let file = try files.open(root + "/file", .create)
      let writer = try files.open(root + "/file", .readWrite)
      let count = Atomic(0)
      let watch = try files.watch(directory: root) { count.add(1, ordering: .relaxed) }
      func expectReport(_ change: () throws -> Void) throws {
        let before = count.load(ordering: .relaxed)
        try change()
        while count.load(ordering: .relaxed) == before { sched_yield() }
      }
      for _ in 0..<3 { try expectReport { try writer.write([1], at: 0) } }
      try expectReport { try files.rename(root + "/file", to: root + "/new") }
      try expectReport { try file.write([1], at: 0) }
      withExtendedLifetime(watch) {}
      try expect(.watch, root + "/none", ENOENT) { _ = try files.watch(directory: root + "/none") {} }
    }
  ]

  private static func bytes(_ file: any OpenFile, _ count: Int = 64, at offset: Int = 0) throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer.prefix(try file.read(into: buffer, at: offset)))
  }

  private static func expect<Value: Equatable>(_ found: Value, _ expected: Value, line: Int = #line) throws {
    if found != expected { throw Violation(description: "line \(line): expected \(expected), found \(found)") }
  }

  private static func expect(
    _ operation: FileSystemError.Operation, _ path: String, _ code: Int32, line: Int = #line, _ body: () throws -> Void
  ) throws {
    let expected = FileSystemError(operation: operation, path: path, code: code)
    do {
      try body()
    } catch {
      return try expect(error as? FileSystemError, expected, line: line)
    }
    throw Violation(description: "line \(line): expected \(expected), found none")
  }
}
