import Testing
import TrendyModels

@testable import TrendySimulation

/// Who must win, by the words of the protocol alone.
@Suite("Judge")
struct JudgeTests {
  private func mutation(_ text: String, stamp: Int64, operation: MutationOperation = .update) -> MutationEnvelope {
    MutationEnvelope(
      id: "m-\(text)", sequence: 1, entityType: "event", entityId: "e", operation: operation.rawValue,
      fields: ["notes": FieldChange(value: .string(text), base: 0, stamp: stamp)])
  }

  private func judged(
    _ text: String, stamp: Int64, by device: String, lost: Bool, hadSeen: Bool, after judge: Judge
  ) -> String? {
    var judge = judge
    return judge.onOutcome(
      OutcomeEnvelope(sequence: 1, status: lost ? "merged" : "accepted", version: 2, lost: lost ? ["notes"] : []),
      of: mutation(text, stamp: stamp), by: device, now: 1000, hadSeen: { _, _ in hadSeen })
  }

  private var withFirst: Judge {
    var judge = Judge()
    let fault = judge.onOutcome(
      OutcomeEnvelope(sequence: 1, status: "accepted", version: 1),
      of: mutation("first", stamp: 500, operation: .create), by: "b", now: 1000, hadSeen: { _, _ in false })
    precondition(fault == nil)
    return judge
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
    var judge = withFirst
    // Capped at the hub's now, which is 1000: one of 1001 by a later name beats it.
    _ = judge.onOutcome(
      OutcomeEnvelope(sequence: 2, status: "accepted", version: 2), of: mutation("ahead", stamp: 9_000_000), by: "c",
      now: 1000, hadSeen: { _, _ in false })
    #expect(judged("next", stamp: 1000, by: "d", lost: false, hadSeen: false, after: judge) == nil)
  }

  @Test func `every sentence of a check that a story can break names its invariant`() {
    #expect(Invariant.number(of: "t1, saved on A for e, is in no queue, no journal, and not at the hub") == 1)
    #expect(Invariant.number(of: "A is taken for two devices, and no store was copied or restored") == 25)
    #expect(Invariant.number(of: "a sentence of nobody") == nil)
  }
}
