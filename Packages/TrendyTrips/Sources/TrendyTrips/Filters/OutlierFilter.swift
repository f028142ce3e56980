import TrendyFoundation
import TrendyModels

/// Removes outliers from the fixes of one device, for trips and visits alike.
///
/// The stages run in a fixed order. A stage may delay a fix until later fixes show whether it is an outlier.
struct OutlierFilter: Hashable, Sendable, Codable {
  /// Accepted fix or removed outlier, in the order that the trip detector processes them.
  enum Output: Hashable {
    case fix(Location)
    /// Position of a cell tower or of an access point.
    case cell(Location)
    /// Fix contradicted by a more accurate one.
    case outweighed(Location, by: Location)
    case displaced(Displacement)
  }

  private var cellTowers = CellTowerFilter()
  private var accuracy = AccuracyFilter()
  private var displacements = DisplacementFilter()
  private var relocations = RelocationFilter()

  var isHolding: Bool {
    cellTowers.isHolding || accuracy.isHolding || displacements.isHolding || relocations.isHolding
  }

  /// Processes the next fix.
  /// - Returns: whether the fix is accepted unchanged. If not, the results are appended to `outputs`.
  mutating func passes(_ fix: Location, otherwise outputs: inout [Output]) -> Bool {
    guard cellTowers.passes(fix) else {
      let (passed, cells) = cellTowers.add(fix)
      outputs += cells.map { Output.cell($0) }
      for fix in passed { compareAccuracy(fix, &outputs) }
      return false
    }
    guard accuracy.passes(fix) else {
      addToAccuracy(fix, &outputs)
      return false
    }
    guard displacements.passes(fix) else {
      addToDisplacements(fix, &outputs)
      return false
    }
    guard relocations.passes(fix) else {
      addToRelocations(fix, &outputs)
      return false
    }
    return true
  }

  /// Releases the delayed fixes that no fix at or after `date` can affect.
  mutating func take(at date: Date) -> [Output] {
    var outputs: [Output] = []
    if let fix = cellTowers.take(at: date) { compareAccuracy(fix, &outputs) }
    for fix in accuracy.take(at: date) { compareDisplacement(fix, &outputs) }
    for fix in displacements.take(at: date) { compareRelocation(fix, &outputs) }
    outputs += relocations.take(at: date).map { Output.fix($0) }
    return outputs
  }

  /// Releases all delayed fixes at the end of the input.
  mutating func take() -> [Output] {
    var outputs: [Output] = []
    if let fix = cellTowers.take() { compareAccuracy(fix, &outputs) }
    for fix in accuracy.take() { compareDisplacement(fix, &outputs) }
    for fix in displacements.take() { compareRelocation(fix, &outputs) }
    outputs += relocations.take().map { Output.fix($0) }
    return outputs
  }

  private mutating func compareAccuracy(_ fix: Location, _ outputs: inout [Output]) {
    guard accuracy.passes(fix) else { return addToAccuracy(fix, &outputs) }
    compareDisplacement(fix, &outputs)
  }

  private mutating func addToAccuracy(_ fix: Location, _ outputs: inout [Output]) {
    let (passed, outweighed) = accuracy.add(fix)
    outputs += outweighed.map { Output.outweighed($0, by: fix) }
    for fix in passed { compareDisplacement(fix, &outputs) }
  }

  private mutating func compareDisplacement(_ fix: Location, _ outputs: inout [Output]) {
    guard displacements.passes(fix) else { return addToDisplacements(fix, &outputs) }
    compareRelocation(fix, &outputs)
  }

  private mutating func addToDisplacements(_ fix: Location, _ outputs: inout [Output]) {
    let (passed, displaced) = displacements.add(fix)
    if let displaced { outputs.append(.displaced(displaced)) }
    for fix in passed { compareRelocation(fix, &outputs) }
  }

  private mutating func compareRelocation(_ fix: Location, _ outputs: inout [Output]) {
    guard relocations.passes(fix) else { return addToRelocations(fix, &outputs) }
    outputs.append(.fix(fix))
  }

  private mutating func addToRelocations(_ fix: Location, _ outputs: inout [Output]) {
    let (passed, relocated) = relocations.add(fix)
    if let relocated { outputs.append(.displaced(relocated)) }
    outputs += passed.map { Output.fix($0) }
  }
}
