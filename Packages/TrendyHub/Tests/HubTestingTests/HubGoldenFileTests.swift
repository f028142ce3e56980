import Foundation
import HubTesting
import StorageTesting
import Testing
import TrendyHub
import TrendyPersistence

/// Hub directory in format version 1, which every later version must be able to read (docs/format.md).
///
/// `TRENDY_GOLDEN=folder` regenerates it.
@Suite("Golden files of a hub")
struct HubGoldenFileTests {
  private static let folder = Bundle.module.url(forResource: "Resources/golden", withExtension: nil)
  private static let date = Date(timeIntervalSince1970: 1_704_067_200)
  private static let user = HubUser(id: "p", name: "Anna", createdAt: date)
  private static let device = HubDevice(
    id: "d", user: "p", name: "phone", tokenHash: "hash", createdAt: date, seenAt: date,
    report: HubDeviceReport(version: "1.0.0", waiting: 3, oldest: date, clockAhead: 0.5, at: date))
  private static let code = HubPairingCode(hash: "code", user: "p", expiresAt: date)
  private static let webhook = HubWebhook(
    id: "w", user: "p", url: "https://example.org/", secret: "secret", kinds: ["event"], createdAt: date)

  private func storage(on disk: SimulatedFileSystem) -> EmbeddedHubStorage {
    EmbeddedHubStorage(
      directory: "/hub", fileSystem: disk,
      options: StorageEngine.Options(firstChunkBytes: 8192, largestChunkBytes: 8192))
  }

  private func write(to storage: EmbeddedHubStorage) throws {
    try storage.writeDirectory { directory in
      try directory.put(Self.user)
      try directory.put(Self.device)
      try directory.put(Self.code)
      try directory.put(Self.webhook)
      try directory.putPairingAttempts(key: "address", [Self.date])
    }
    try storage.write(user: "p", HubStorageContract.putOneOfEach)
  }

  private func records(in storage: EmbeddedHubStorage) throws -> Set<HubRecord> {
    var records: Set<HubRecord> = []
    try storage.read(user: "p") { try $0.forEachRecord { records.insert($0) } }
    return records
  }

  private func lines(in storage: EmbeddedHubStorage) throws -> [SerializedEntry] {
    try storage.read(user: "p") { try $0.lines(after: 0, limit: 9) }
  }

  @Test func `a hub directory is read and written`() throws {
    let disk = SimulatedFileSystem()
    let folder = try #require(Self.folder)
    for directory in ["/hub", "/hub/directory", "/hub/people", "/hub/people/p"] { try disk.createDirectory(directory) }
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      guard let bytes = try? Data(contentsOf: folder.appending(path: name)) else { continue }  // a directory
      disk.setContents("/" + name, Array(bytes))
    }
    let golden = storage(on: disk)
    let users = try golden.readDirectory { try $0.users() }
    let devices = try golden.readDirectory { try $0.devices() }
    let codes = try golden.readDirectory { try $0.pairingCodes() }
    let webhooks = try golden.readDirectory { try $0.webhooks() }
    let attempts = try golden.readDirectory { try $0.pairingAttempts(key: "address") }
    #expect(users == [Self.user] && devices == [Self.device] && codes == [Self.code])
    #expect(webhooks == [Self.webhook] && attempts == [Self.date])
    let fresh = storage(on: SimulatedFileSystem())
    try write(to: fresh)
    #expect(try records(in: golden) == records(in: fresh))
    #expect(try lines(in: golden) == lines(in: fresh))
    try golden.write(user: "p") { try $0.setMark(device: "d", 5) }
    let mark = try storage(on: disk.anotherProcess()).read(user: "p") { try $0.mark(device: "d") }
    #expect(mark == 5)
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["TRENDY_GOLDEN"] != nil))
  func `golden files are written`() throws {
    let folder = URL(filePath: try #require(ProcessInfo.processInfo.environment["TRENDY_GOLDEN"]))
    let disk = SimulatedFileSystem()
    try write(to: storage(on: disk))
    for path in disk.files where path.hasSuffix("/manifest") || path.contains("/log-") {
      let url = folder.appending(path: String(path.dropFirst()))
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(try #require(disk.contents(path))).write(to: url)
    }
  }
}
