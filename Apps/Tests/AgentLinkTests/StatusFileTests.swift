import AgentLink
import CommandSupport
import Foundation
import Testing
import TrendyAgent
import TrendyModels
import TrendyTesting

@Suite("StatusFile", .timeLimit(.minutes(10)))
struct StatusFileTests {
  private let status: AgentStatus = {
    var trip = AgentStatus.LiveTrip(start: DeterministicDate.jan1_2024, state: .paused)
    trip.distance = 1234.56
    trip.elapsed = 61
    var status = AgentStatus(pid: 7, store: "/store", startedAt: DeterministicDate.jan1_2024)
    status.trip = trip
    return status
  }()

  private func document(_ text: String) throws -> [String: JSONValue]? {
    try WireJSON.decode(JSONValue.self, from: Data(text.utf8)).objectValue
  }

  @Test func `the status file and the status notice contain the same document, and the last one is marked as the last`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-status-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // if this fails, only a temporary folder remains
    let url = folder.appending(path: "status.json")
    let board = LiveStatusBroadcaster()
    let file = StatusFile(url: url, board: board)
    file.show(status)
    #expect(try String(contentsOf: url, encoding: .utf8) == board.notice.text + "\n")
    let trip = try document(board.notice.text)?["trip"]
    #expect(trip?.objectValue?["distance_m"] == 1234.6 && trip?.objectValue?["state"] == "paused")
    #expect(trip.flatMap { AgentStatus.LiveTrip($0) }?.elapsed == 61)
    #expect(file.failure == nil && !board.notice.isLast)
    var ended = status
    ended.hasEnded = true
    file.show(ended)
    #expect(try document(board.notice.text)?["state"] == "ended" && board.notice.isLast)
  }

  @Test func `a status file that cannot be written records the failure and still publishes the notice`() throws {
    let board = LiveStatusBroadcaster()
    let file = StatusFile(url: URL(filePath: "/no/such/folder/status.json"), board: board)
    file.show(status)
    #expect(file.failure?.path == "/no/such/folder/status.json")
    #expect(board.notice.number == 1)
  }
}
