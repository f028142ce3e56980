import Testing
import TrendyModels

@testable import TrendySimulation

/// Merge rules of the protocol.
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
  func `of two concurrent edits the later one wins`(stamp: Int64, loses: Bool) {
    #expect(judged("second", stamp: stamp, by: "a", lost: loses, hadSeen: false, after: withFirst) == nil)
    #expect(judged("second", stamp: stamp, by: "a", lost: !loses, hadSeen: false, after: withFirst) != nil)
  }

  @Test func `the device id decides between equal stamps`() {
    #expect(judged("second", stamp: 500, by: "c", lost: false, hadSeen: false, after: withFirst) == nil)
    #expect(judged("second", stamp: 500, by: "a", lost: false, hadSeen: false, after: withFirst) != nil)
  }

  @Test func `an author who has seen a value replaces it with a later stamp`() {
    #expect(judged("second", stamp: 600, by: "a", lost: false, hadSeen: true, after: withFirst) == nil)
    #expect(judged("second", stamp: 600, by: "a", lost: true, hadSeen: true, after: withFirst) != nil)
    #expect(judged("second", stamp: 400, by: "a", lost: false, hadSeen: true, after: withFirst) != nil)
  }

  @Test func `stamps are limited to the hub time`() {
    var oracle = withFirst
    // Limited to the hub time, 1000, so an equal stamp from a greater device id wins.
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
