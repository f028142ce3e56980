import Foundation
import HubTesting
import Synchronization
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

@testable import TrendyHub

@Suite("Webhooks")
struct WebhookTests {
  /// Receiver that returns the given responses in order, and status 200 after that.
  private final class Receiver: WebhookSender {
    struct Unreachable: Error, CustomStringConvertible {
      var description: String { "nobody listens there" }
    }

    private let state = Mutex<(posts: [WebhookDelivery], answers: [WebhookResponse?])>(([], []))

    /// An answer of `nil` means that no response arrives.
    init(_ answers: [WebhookResponse?] = []) { state.withLock { $0.answers = answers } }

    var posts: [WebhookDelivery] { state.withLock { $0.posts } }

    func send(_ post: WebhookDelivery) async throws -> WebhookResponse {
      let answer = state.withLock { state in
        state.posts.append(post)
        return state.answers.isEmpty ? WebhookResponse(status: 200) : state.answers.removeFirst()
      }
      guard let answer else { throw Unreachable() }
      return answer
    }
  }

  private func run(_ hub: TestHub, _ receiver: Receiver, _ body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await hub.server.deliverWebhooks(by: receiver) { Issue.record("\($0)") } }
      // Wait until both timers are running: one for the directory check and one for the webhook.
      await hub.clock.waitForSleepers(2)
      try await body()
      group.cancelAll()
    }
  }

  private func ids(_ post: WebhookDelivery) throws -> [String] {
    let body = try WireJSON.decode(JSONValue.self, from: post.body)
    return (body["changes"].arrayValue ?? []).compactMap { $0["entity_id"].stringValue }
  }

  @Test func `changes after a webhook was added are delivered signed and in order`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let webhook = try hub.server.accounts.addWebhook(user: hub.user.id, url: "https://example.org/hook?x=1")
    let receiver = Receiver()
    try await run(hub, receiver) {
      try await hub.makeEvent("a")
      try await hub.makeEvent("b")
      await hub.clock.advance(by: .seconds(120))
    }
    #expect(try receiver.posts.flatMap(ids) == ["a", "b"])
    let post = try #require(receiver.posts.first)
    #expect(post.url == "https://example.org/hook?x=1")
    #expect(post.headers["Trendy-Delivery"]?.hasPrefix(webhook.id) == true)
    let signature = try #require(post.headers["Trendy-Signature"])
    let seconds = try #require(Int64(signature.dropFirst(2).prefix { $0 != "," }))
    #expect(signature == WebhookDelivery.signature(of: post.body, at: seconds, secret: webhook.secret))
    #expect(signature != WebhookDelivery.signature(of: post.body, at: seconds, secret: "another"))
    let standing = try #require(hub.server.accounts.webhooks()[0].standing)
    #expect(standing.lastAttempt?.status == 200)
    #expect(standing.failures == 0)
  }

  @Test func `a signature is the HMAC of RFC 4231`() {
    // Test case 2 of RFC 4231. Its data does not have the form of a signed delivery, so compare only the digest.
    let data = Data("what do ya want for nothing?".utf8)
    #expect(
      HMACSHA256.hexadecimal(of: data, key: Data("Jefe".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      WebhookDelivery.signature(of: Data("{}".utf8), at: 1_790_000_000, secret: "secret")
        == "t=1790000000,v1=" + HMACSHA256.hexadecimal(of: Data("1790000000.{}".utf8), key: Data("secret".utf8)))
  }

  @Test func `a failed delivery is retried with increasing delays and never dropped`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    _ = try hub.server.accounts.addWebhook(user: hub.user.id, url: "https://example.org/hook")
    let receiver = Receiver([
      WebhookResponse(status: 500), nil, WebhookResponse(status: 429, retryAfter: .seconds(30)),
      WebhookResponse(status: 302),
    ])
    try await run(hub, receiver) {
      try await hub.makeEvent("a")
      for _ in 0..<100 where receiver.posts.isEmpty { await Task.yield() }
      await hub.clock.advance(by: .milliseconds(900))
      #expect(receiver.posts.count == 1)
      // A change written in the meantime is included in the retry.
      try await hub.makeEvent("b")
      await hub.clock.advance(by: .milliseconds(200))
      #expect(receiver.posts.count == 2)
      #expect(try hub.server.accounts.webhooks()[0].standing?.lastAttempt?.words == "nobody listens there")
      await hub.clock.advance(by: .seconds(2))
      #expect(receiver.posts.count == 3)
      await hub.clock.advance(by: .seconds(29))
      #expect(receiver.posts.count == 3)
      await hub.clock.advance(by: .seconds(2))
      #expect(receiver.posts.count == 4)
      await hub.clock.advance(by: .seconds(10))
    }
    #expect(try receiver.posts.map(ids) == [["a"], ["a", "b"], ["a", "b"], ["a", "b"], ["a", "b"]])
  }

  @Test func `a clock that was ahead at a failed or claimed delivery does not delay the next one`() async throws {
    let (hubs, clock, storage, user) = try twoHubs()
    let webhook = try hubs[0].accounts.webhooks()[0].webhook
    try storage.write(user: user) { transaction in
      var standing = try #require(try transaction.webhookStanding(of: webhook.id))
      standing.failures = 1
      standing.nextAttempt = clock.now + 86_400
      standing.claim = .init(hub: "one that was killed", until: clock.now + 86_400)
      try transaction.put(standing)
    }
    try hubs[0].ingestDesk(user: user).create(
      .event, CreateEventRequest(id: "e", eventTypeId: "t", timestamp: clock.now))
    let receiver = Receiver()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await hubs[0].deliverWebhooks(by: receiver) { Issue.record("\($0)") } }
      await clock.waitForSleepers(2)
      await clock.advance(by: .seconds(61))
      group.cancelAll()
    }
    #expect(try receiver.posts.flatMap(ids) == ["e"])
  }

  @Test func `kinds that were not selected are skipped`() async throws {
    let hub = try TestHub()
    _ = try hub.server.accounts.addWebhook(user: hub.user.id, url: "https://example.org/hook", kinds: ["event"])
    let receiver = Receiver()
    try await run(hub, receiver) {
      try await hub.makeType()
      try await hub.makeEvent("a")
      await hub.clock.advance(by: .seconds(120))
    }
    #expect(try receiver.posts.flatMap(ids) == ["a"])
  }

  @Test func `a removed webhook gets no deliveries`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let webhook = try hub.server.accounts.addWebhook(user: hub.user.id, url: "https://example.org/hook")
    let receiver = Receiver()
    try await run(hub, receiver) {
      try hub.server.accounts.removeWebhook(webhook)
      await hub.clock.advance(by: .seconds(11))
      try await hub.makeEvent("a")
      await hub.clock.advance(by: .seconds(120))
    }
    #expect(receiver.posts.isEmpty)
    #expect(try hub.server.accounts.webhooks().isEmpty)
  }

  @Test func `a restored hub delivers rewritten versions again`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let webhook = try hub.server.accounts.addWebhook(user: hub.user.id, url: "https://example.org/hook")
    try await hub.makeEvent("a")
    // Pretend that the delivery was made in an epoch missing from the backup.
    try hub.storage.write(user: hub.user.id) { transaction in
      try transaction.put(WebhookDeliveryState(webhook: webhook.id, cursor: 1, epoch: "a lost epoch"))
    }
    let receiver = Receiver()
    try await run(hub, receiver) { await hub.clock.advance(by: .seconds(61)) }
    #expect(try receiver.posts.flatMap(ids) == ["t", "a"])
    // The delivery id contains the epoch, so a receiver that ignores repeated ids accepts it.
    let post = try #require(receiver.posts.first)
    let epoch = try #require(try hub.storage.read(user: hub.user.id) { try $0.state() }.epochs.last?.id)
    #expect(post.headers["Trendy-Delivery"] == "\(webhook.id).\(epoch).1-2")
    #expect(try WireJSON.decode(JSONValue.self, from: post.body)["epoch"] == .string(epoch))
  }

  /// Returns two hubs on one storage that contains a user, an event type and a webhook.
  private func twoHubs() throws -> (hubs: [HubServer], clock: ManualClock, storage: MemoryHubStorage, user: String) {
    let (clock, storage) = (ManualClock(), MemoryHubStorage(epoch: "an epoch"))
    let hubs = (1...2).map {
      HubServer(storage: storage, clock: clock, generator: SeededGenerator(seed: UInt64($0)))
    }
    let user = try hubs[0].accounts.createPerson(name: "Anna").id
    let desk = hubs[0].ingestDesk(user: user)
    try desk.create(.eventType, CreateEventTypeRequest(id: "t", name: "coffee", color: "#000000", icon: "cup"))
    _ = try hubs[0].accounts.addWebhook(user: user, url: "https://example.org/hook")
    return (hubs, clock, storage, user)
  }

  @Test func `of two hubs on one storage one delivers, and the other takes over an expired claim`() async throws {
    let (hubs, clock, storage, user) = try twoHubs()
    let webhook = try hubs[0].accounts.webhooks()[0].webhook
    // State left behind by a hub that was killed during a delivery.
    try storage.write(user: user) { transaction in
      var standing = try #require(try transaction.webhookStanding(of: webhook.id))
      standing.claim = .init(hub: "one that was killed", until: clock.now + 30)
      try transaction.put(standing)
    }
    try hubs[0].ingestDesk(user: user).create(
      .event, CreateEventRequest(id: "e", eventTypeId: "t", timestamp: clock.now))
    let receiver = Receiver()
    await withTaskGroup(of: Void.self) { group in
      for hub in hubs { group.addTask { await hub.deliverWebhooks(by: receiver) { Issue.record("\($0)") } } }
      await clock.waitForSleepers(4)
      await clock.advance(by: .seconds(29))
      #expect(receiver.posts.isEmpty)
      await clock.advance(by: .seconds(91))
      group.cancelAll()
    }
    #expect(try receiver.posts.map(ids) == [["e"]])
    #expect(try hubs[1].accounts.webhooks()[0].standing?.claim == nil)
  }

  @Test func `a slow hub does not overwrite the progress of the hub that took over`() async throws {
    let (hubs, clock, storage, user) = try twoHubs()
    let webhook = try hubs[0].accounts.webhooks()[0].webhook
    try hubs[0].ingestDesk(user: user).create(
      .event, CreateEventRequest(id: "e", eventTypeId: "t", timestamp: clock.now))
    /// Lets another hub take over and deliver while it is being called.
    struct Overtaken: WebhookSender {
      let overtake: @Sendable () throws -> Void
      func send(_ post: WebhookDelivery) async throws -> WebhookResponse {
        try overtake()
        return WebhookResponse(status: 500)
      }
    }
    let sender = Overtaken {
      try storage.write(user: user) { transaction in
        var standing = try #require(try transaction.webhookStanding(of: webhook.id))
        #expect(standing.claim != nil)
        standing.cursor = try transaction.state().head
        standing.epoch = "an epoch"
        standing.claim = .init(hub: "another", until: clock.now + 60)
        try transaction.put(standing)
      }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await hubs[0].deliverWebhooks(by: sender) { Issue.record("\($0)") } }
      await clock.waitForSleepers(2)
      group.cancelAll()
    }
    let standing = try #require(try hubs[0].accounts.webhooks()[0].standing)
    #expect(standing.claim?.hub == "another")
    #expect(standing.failures == 0)
  }

  @Test(
    "a URL that is invalid or would send the record unencrypted is rejected",
    arguments: [
      "http://example.org/hook", "ftp://example.org/", "example.org", "https://anna:secret@example.org/", "",
      "https://example.org/#part",
    ])
  func addresses(url: String) throws {
    let hub = try TestHub()
    #expect(throws: Problem.self) { try hub.server.accounts.addWebhook(user: hub.user.id, url: url) }
    _ = try hub.server.accounts.addWebhook(user: hub.user.id, url: "http://127.0.0.1:9/hook")
    _ = try hub.server.accounts.addWebhook(
      user: hub.user.id, url: "http://example.org/hook", allowsClearText: true)
  }
}
