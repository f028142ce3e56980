import Testing
import TrendyModels

@testable import TrendySimulation

/// Who must win, by the words of the protocol alone.
@Suite("MergeOracle")
struct MergeOracleTests {
  private func mutation(_ text: String, stamp: Int64, operation: MutationOperation = .update) -> MutationEnvelope {
    MutationEnvelope(
      id: "m-\(text)", sequence: 1, entityType: "event", entityId: "e", operation: operation.rawValue,
      fields: ["notes": FieldChange(value: .string(text), base: 0, stamp: stamp)])
  }

  private func judged(
    _ text: String, stamp: Int64, by device: String, lost: Bool, hadSeen: Bool, after oracle: MergeOracle
  ) -> String? {
    var oracle = oracle
    return oracle.onOutcome(
      OutcomeEnvelope(sequence: 1, status: lost ? "merged" : "accepted", version: 2, lost: lost ? ["notes"] : []),
      of: mutation(text, stamp: stamp), by: device, now: 1000, hadSeen: { _, _ in hadSeen })
  }

  private var withFirst: MergeOracle {
    var oracle = MergeOracle()
    let fault = oracle.onOutcome(
      OutcomeEnvelope(sequence: 1, status: "accepted", version: 1),
      of: mutation("first", stamp: 500, operation: .create), by: "b", now: 1000, hadSeen: { _, _ in false })
    precondition(fault == nil)
    return oracle
  }

  @Test(arguments: [(499, true), (501, false)] as [(Int64, Bool)])
  func `of two who did not see each other the later wins`(stamp: Int64, loses: Bool) {
    #expect(judged("second", stamp: stamp, by: "a", lost: loses, hadSeen: false, after: withFirst) == nil)
    #expect(judged("second", stamp: stamp, by: "a", lost: !loses, hadSeen: false, after: withFirst) != nil)
  }

  @Test func `of one stamp the name of the device decides`() {
    #expect(judged("second", stamp: 500, by: "c", lost: false, hadSeen: false, after: withFirst) == nil)
    #expect(judged("second", stamp: 500, by: "a", lost: false, hadSeen: false, after: withFirst) != nil)
  }

  @Test func `who saw it replaces it and is stamped after it`() {
    #expect(judged("second", stamp: 600, by: "a", lost: false, hadSeen: true, after: withFirst) == nil)
    #expect(judged("second", stamp: 600, by: "a", lost: true, hadSeen: true, after: withFirst) != nil)
    #expect(judged("second", stamp: 400, by: "a", lost: false, hadSeen: true, after: withFirst) != nil)
  }

  @Test func `nobody writes in the future`() {
    var oracle = withFirst
    // Capped at the hub's now, which is 1000: one of 1001 by a later name beats it.
    _ = oracle.onOutcome(
      OutcomeEnvelope(sequence: 2, status: "accepted", version: 2), of: mutation("ahead", stamp: 9_000_000), by: "c",
      now: 1000, hadSeen: { _, _ in false })
    #expect(judged("next", stamp: 1000, by: "d", lost: false, hadSeen: false, after: oracle) == nil)
  }

  @Test func `a violation names its invariant`() {
    var ledger = Ledger()
    ledger.report(.forkIsDetected, "A is taken for two devices")
    ledger.report(nil, "a hub cannot be started")
    #expect(ledger.violations.map { $0.invariant?.rawValue } == [25, nil])
    #expect(Invariant.allCases.map(\.rawValue) == Array(1...29))
  }
}
