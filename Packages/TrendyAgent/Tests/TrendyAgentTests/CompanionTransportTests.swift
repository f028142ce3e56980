import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("CompanionCourier")
struct CompanionTransportTests {
  private final class Hub: CompanionClientProtocol {
    struct Content {
      var links: [APICompanion] = []
      var notices: [String: [CompanionNotice]] = [:]
      var made: [String] = []
    }
    let content = Mutex(Content())

    func companions() async throws -> [APICompanion] { content.withLock { $0.links } }

    func makeCompanion(deviceId: String) async throws -> APICompanion {
      content.withLock { content in
        let link = Self.link(to: deviceId)
        content.made.append(deviceId)
        content.links.append(link)
        return link
      }
    }

    func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion {
      try content.withLock { content in
        guard let place = content.links.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
        content.notices[id, default: []] += request.notices
        content.links[place].heldThrough = request.notices.last?.sequence ?? 0
        return content.links[place]
      }
    }

    func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws -> CompanionNoticesResponse {
      try content.withLock { content in
        guard content.links.contains(where: { $0.id == id }) else { throw Self.unknown }
        return CompanionNoticesResponse(
          notices: (content.notices[id] ?? []).filter { $0.sequence > sequence }, hasMore: false)
      }
    }

    static let unknown = APIError.problem(ProblemDetails(status: 404), retryAfter: nil)

    static func link(to companion: String) -> APICompanion {
      APICompanion(
        id: "me-\(companion)", trackerId: "me", trackerName: "me", companionId: companion, companionName: companion)
    }

    static func link(from tracker: String) -> APICompanion {
      APICompanion(
        id: "\(tracker)-me", trackerId: tracker, trackerName: tracker, companionId: "me", companionName: "me")
    }
  }

  private let hub = Hub()
  private let store: CompanionStore
  private let courier: CompanionTransport

  init() throws {
    let store = try CompanionStore(directory: "/companion", fileSystem: SimulatedFileSystem())
    self.store = store
    courier = CompanionTransport(
      client: hub,
      account: Account(
        hub: try #require(URL(string: "https://hub.example")), token: "t", deviceId: "me", user: "p"),
      clock: ManualClock(), store: CompanionTransport.Store(exists: { true }, open: { store }),
      carryOut: { _ in true })
  }

  private func note(_ text: String) -> CompanionStore.Draft {
    CompanionStore.Draft(kind: "note", data: ["text": .string(text)])
  }

  @Test func `a link that the hub lost is created again and its notices are sent in one round`() async throws {
    hub.content.withLock { $0.links = [Hub.link(to: "watch")] }
    _ = try await courier.round()
    try store.tell([note("one")], at: Date(timeIntervalSince1970: 0))
    // The hub is restored from an old backup and has no links.
    hub.content.withLock { $0 = Hub.Content() }
    _ = try await courier.round()
    let content = hub.content.withLock { $0 }
    #expect(content.made == ["watch"])
    #expect(content.notices["me-watch"]?.compactMap { $0.data["text"]?.stringValue } == ["one"])
  }

  @Test func `a tracker that a restored hub lost does not block the notices of others`() async throws {
    hub.content.withLock { $0.links = [Hub.link(from: "car"), Hub.link(from: "phone")] }
    _ = try await courier.round()
    // The car's link will be recreated only when the car connects.
    hub.content.withLock { content in
      content.links = [Hub.link(from: "phone")]
      content.notices["phone-me"] = [
        CompanionNotice(sequence: 1, kind: "note", at: Date(timeIntervalSince1970: 0), data: ["text": "hello"])
      ]
    }
    let isTold = try await courier.round()
    #expect(isTold)
    #expect(try store.received(limit: 9).map(\.notice.kind) == ["note"])
  }
}
