import Foundation
import PostgresTesting
import Synchronization
import Testing
import TrendyHub

@testable import TrendyHubPostgres

@Suite("PostgresHints", .onPostgres, .timeLimit(.minutes(10)))
struct PostgresHintsTests {
  /// Collects the hints that a hub receives, in order.
  private final class Ear: Sendable {
    private let heard = Mutex<[HubHint]>([])
    private let more = DispatchSemaphore(value: 0)

    func hear(_ hint: HubHint) {
      heard.withLock { $0.append(hint) }
      more.signal()
    }

    /// Waits until `count` different hints have arrived, or none has arrived for a minute.
    ///
    /// A hint may arrive twice if it is sent again after the first notification.
    func wait(for count: Int) -> [HubHint] {
      while heard.withLock({ Set($0).count }) < count {
        guard more.wait(timeout: .now() + 60) == .success else { break }
      }
      return heard.withLock { $0 }
    }
  }

  private let cluster: PostgresCluster
  private let schema: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    schema = cluster.newSchema()
  }

  private func hub(_ ear: Ear, schema: String? = nil) throws -> any HintSubscription {
    let hints = try #require(try cluster.storage(schema: schema ?? self.schema).listen { ear.hear($0) })
    for _ in 0..<2400 where !hints.isHearing { usleep(25_000) }
    try #require(hints.isHearing)
    return hints
  }

  /// A late wake-up would otherwise raise a signal, or be written to another file that reuses the pipe's descriptor.
  @Test func `a stopped listener does not write to descriptors that are reused`() throws {
    var hints = try PostgresHints(
      channel: "none", connect: { throw HubStorageError.unreachable("there is no database") }, hear: { _ in })
    hints.stop()
    // The thread retains the listener until it ends.
    while !isKnownUniquelyReferenced(&hints) { usleep(1000) }
    let pipes = (0..<32).map { _ in Pipe() }
    hints.tell(.head(user: "anna"))
    for pipe in pipes {
      let descriptor = pipe.fileHandleForReading.fileDescriptor
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      var byte: UInt8 = 0
      #expect(read(descriptor, &byte, 1) == -1)
    }
  }

  @Test func `a hint is received by the other hubs and not by its sender`() throws {
    let ears = (0..<3).map { _ in Ear() }
    let elsewhere = Ear()
    let hubs = try ears.map { try hub($0) }
    let stranger = try hub(elsewhere, schema: cluster.newSchema())
    hubs[0].tell(.head(user: "anna\\\u{0}"))
    #expect(ears[1].wait(for: 1) == [.head(user: "anna\\\u{0}")])
    hubs[1].tell(.notice(device: "phone"))
    #expect(ears[0].wait(for: 1) == [.notice(device: "phone")])
    #expect(ears[2].wait(for: 2) == [.head(user: "anna\\\u{0}"), .notice(device: "phone")])
    #expect(ears[1].wait(for: 1).count == 1)
    #expect(elsewhere.wait(for: 0) == [])
    withExtendedLifetime((hubs, stranger)) {}
  }

  @Test func `many hints are combined into few notifications of limited length`() throws {
    let (ear, other) = (Ear(), Ear())
    let hubs = try [hub(other), hub(ear)]
    let users = (0..<1000).map { "person-\($0)-\(String(repeating: "x", count: 30))" }
    for user in users { for _ in 0..<3 { hubs[0].tell(.head(user: user)) } }
    hubs[0].tell(.head(user: "last"))
    #expect(Set(ear.wait(for: 1001)) == Set((users + ["last"]).map { HubHint.head(user: $0) }))
    withExtendedLifetime(hubs) {}
  }

  @Test func `a lost connection is reestablished`() throws {
    let (ear, other) = (Ear(), Ear())
    let hubs = try [hub(other), hub(ear)]
    try cluster.endConnections(of: schema)
    // Hints are lost until both hubs are listening again.
    var isHeard = false
    for _ in 0..<600 where !isHeard {
      hubs[0].tell(.head(user: "p"))
      usleep(100_000)
      isHeard = !ear.wait(for: 0).isEmpty
    }
    #expect(isHeard)
    withExtendedLifetime(hubs) {}
  }

  @Test func `a released listener closes its connection`() throws {
    let ear = Ear()
    var one: (any HintSubscription)? = try hub(ear)
    #expect(one != nil)
    func count() throws -> Int64 {
      try cluster.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)'").int(0, 0)
    }
    #expect(try count() == 1)
    one = nil
    for _ in 0..<600 where try count() > 0 { usleep(50_000) }
    #expect(try count() == 0)
  }
}
