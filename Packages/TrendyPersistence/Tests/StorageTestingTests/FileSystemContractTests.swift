import Foundation
import StorageTesting
import Testing
import TrendyPersistence

@Suite("FileSystemContract", .timeLimit(.minutes(10)))
struct FileSystemContractTests {
  @Test("SimulatedFileSystem satisfies the contract", arguments: FileSystemContract.all)
  func simulated(check: FileSystemContract.Check) throws {
    let disk = SimulatedFileSystem()
    try disk.createDirectory("/folder")
    try check.run(on: disk, in: "/folder")
  }

  @Test("PosixFileSystem satisfies the contract", arguments: FileSystemContract.all)
  func posix(check: FileSystemContract.Check) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder only uses space
    try check.run(on: PosixFileSystem(), in: folder.path)
  }
}
