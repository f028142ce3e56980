public import TrendyModels

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Geodesic distances on the WGS 84 ellipsoid.
///
/// Solves the inverse problem with the algorithm of C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87 (2013)
/// 43–55, using series to sixth order. Accurate to much better than a micrometre for every pair of points, including
/// nearly antipodal points. Equation numbers in the comments refer to the paper.
public enum Geodesic: Sendable {
  /// Returns the length of the shortest path between two points in metres, 0 to about 20,003,932.
  ///
  /// Latitudes are in degrees from −90 to 90. Longitudes are in degrees and may exceed a full turn: 190 equals −170.
  /// Swapping the points changes the result at most by rounding. Returns `nan` if a latitude is out of range or a
  /// number is not finite.
  public static func distanceMeters(from start: Coordinate, to end: Coordinate) -> Double {
    distanceMeters(
      latitude1: start.latitude, longitude1: start.longitude, latitude2: end.latitude, longitude2: end.longitude)
  }

  static func distanceMeters(latitude1: Double, longitude1: Double, latitude2: Double, longitude2: Double) -> Double {
    guard abs(latitude1) <= 90, abs(latitude2) <= 90, longitude1.isFinite, longitude2.isFinite else { return .nan }
    return InverseProblem(
      latitude1: latitude1, latitude2: latitude2, longitudeDifference: difference(longitude1, longitude2)
    ).metres()
  }
}

extension Geodesic {
  // WGS 84 (NIMA TR8350.2): equatorial radius in metres and flattening, which determine all other constants.
  static var equatorialRadius: Double { 6_378_137 }
  static var flattening: Double { 1 / 298.257223563 }
  static var polarRadius: Double { equatorialRadius * (1 - flattening) }
  /// Second eccentricity squared, e'^2.
  static var secondEccentricitySquared: Double {
    flattening * (2 - flattening) / ((1 - flattening) * (1 - flattening))
  }
  static var thirdFlattening: Double { flattening / (2 - flattening) }
}

/// Pair of points in the canonical position of Karney's algorithm (§4).
///
/// The first point is in the southern hemisphere and is at least as far from the equator as the second point. The
/// longitude difference is between 0° and 180°. The reflections do not change the distance.
private struct InverseProblem {
  /// Reduced latitudes (eq. 6).
  let sinBeta1, cosBeta1, sinBeta2, cosBeta2: Double
  /// `sqrt(1 + e'^2 sin^2 beta)` (eq. 9 with alpha0 = 0).
  let scale1, scale2: Double
  /// Longitude difference in radians, and its supplement to π, which is more accurate near the antipode.
  let lambda12, supplement: Double
  let sinLambda12, cosLambda12: Double
  let isMeridional, isEquatorial: Bool

  @inline(__always)
  init(latitude1: Double, latitude2: Double, longitudeDifference: Double) {
    let east = abs(longitudeDifference)
    let swapped = abs(latitude1) < abs(latitude2)
    var southern = swapped ? latitude2 : latitude1
    var other = swapped ? latitude1 : latitude2
    if southern > 0 {
      southern = -southern
      other = -other
    }
    let reduced1 = reducedLatitude(southern)
    var reduced2 = reducedLatitude(other)
    // Latitudes of equal magnitude must remain exactly equal, because the test for a symmetric geodesic compares them.
    if abs(other) == -southern { reduced2 = (other < 0 ? reduced1.sine : -reduced1.sine, reduced1.cosine) }
    (sinBeta1, cosBeta1) = reduced1
    (sinBeta2, cosBeta2) = reduced2
    scale1 = (1 + Geodesic.secondEccentricitySquared * sinBeta1 * sinBeta1).squareRoot()
    scale2 = (1 + Geodesic.secondEccentricitySquared * sinBeta2 * sinBeta2).squareRoot()
    lambda12 = east * radiansPerDegree
    supplement = (180 - east) * radiansPerDegree
    (sinLambda12, cosLambda12) = sineAndCosine(degrees: east)
    isMeridional = southern == -90 || sinLambda12 == 0
    // Beyond this longitude difference the shortest path leaves the equator (§4).
    isEquatorial = southern == 0 && east <= 180 * (1 - Geodesic.flattening)
  }

  @inline(__always)
  func metres() -> Double {
    if isMeridional { return meridianMetres() }
    if isEquatorial { return Geodesic.equatorialRadius * lambda12 }
    return obliqueMetres()
  }
}

/// Point at which a geodesic with a given initial azimuth reaches the latitude of the second point.
private struct Arrival {
  /// Difference between the longitudes of this point and the second point in radians, positive to the east.
  var longitudeError: Double
  /// Length of the geodesic in metres.
  var metres: Double
  /// Reduced length in units of the polar radius (eq. 38): derivative of the lateral displacement of the end with
  /// respect to the azimuth.
  var reducedLength: Double
  /// Sine of the azimuth at the equator (eq. 5), Clairaut's constant.
  var sinAlpha0: Double
  var cosAlpha2: Double
}

extension InverseProblem {
  /// Returns the distance along a meridian, across the pole if the points are on opposite meridians. Uses k^2 = e'^2.
  fileprivate func meridianMetres() -> Double {
    let cosAlpha1: Double = cosLambda12 < 0 ? -1 : 1
    let sinSigma1 = sinBeta1
    let cosSigma1 = cosAlpha1 * cosBeta1
    let sinSigma2 = sinBeta2
    let cosSigma2 = cosBeta2
    let sigma12 = atan2(
      max(0, cosSigma1 * sinSigma2 - sinSigma1 * cosSigma2), cosSigma1 * cosSigma2 + sinSigma1 * sinSigma2)
    let series = LengthSeries(epsilon: Geodesic.thirdFlattening)
    return Geodesic.polarRadius
      * series.length(sigma12, DoubleAngle(sinSigma1, cosSigma1), DoubleAngle(sinSigma2, cosSigma2))
  }

  /// Finds the azimuth at the first point with Newton's method inside a bracket, with bisection as a fallback (§4).
  ///
  /// The final correction is applied to the length instead of the azimuth, which saves one or two iterations. The trial
  /// geodesic is the shortest path to a point `longitudeError` east of the second point. By the first variation of
  /// length, this path is too long by `a sin(alpha0) longitudeError`, with an error of about
  /// `longitudeError^2 / reducedLength`.
  fileprivate func obliqueMetres() -> Double {
    var (sinAlpha1, cosAlpha1) = startingAzimuth()
    // The azimuth is between north (0) and south (π). A larger azimuth reaches a larger longitude.
    var lowSine = tiny
    var lowCosine = 1.0
    var highSine = tiny
    var highCosine = -1.0
    var mayUseNewton = true
    var bestMetres = Double.nan
    for iteration in 0..<90 {
      let arrival = arrival(sinAlpha1, cosAlpha1)
      let error = arrival.longitudeError
      bestMetres = arrival.metres - Geodesic.equatorialRadius * arrival.sinAlpha0 * error
      // 1e-15 of the polar radius is 6 nm. If the reduced length is near zero, only the longitude error is meaningful.
      if error * error <= 1e-15 * arrival.reducedLength || abs(error) <= 1e-15 { return bestMetres }
      if error > 0 {
        highSine = sinAlpha1
        highCosine = cosAlpha1
      } else {
        lowSine = sinAlpha1
        lowCosine = cosAlpha1
      }
      if iteration >= 20 { mayUseNewton = false }
      if mayUseNewton, let next = newtonStep(sinAlpha1, cosAlpha1, arrival),
        next.cosine < lowCosine, next.cosine > highCosine
      {
        (sinAlpha1, cosAlpha1) = next
        continue
      }
      let middle = normalized(lowSine + highSine, lowCosine + highCosine)
      // The bounds are adjacent floating-point numbers, so the result cannot be improved.
      if (middle.sine == lowSine && middle.cosine == lowCosine)
        || (middle.sine == highSine && middle.cosine == highCosine)
      {
        return bestMetres
      }
      (sinAlpha1, cosAlpha1) = middle
    }
    return bestMetres
  }

  @inline(__always)
  private func newtonStep(_ sinAlpha1: Double, _ cosAlpha1: Double, _ arrival: Arrival) -> (
    sine: Double, cosine: Double
  )? {
    // Eq. 46, and its limit for a geodesic that is tangent to the parallel of the second point.
    let slope =
      arrival.cosAlpha2 == 0
      ? -2 * (1 - Geodesic.flattening) * scale1 / sinBeta1
      : arrival.reducedLength * (1 - Geodesic.flattening) / (arrival.cosAlpha2 * cosBeta2)
    guard slope > 0 else { return nil }
    let turn = -arrival.longitudeError / slope
    guard abs(turn) < .pi else { return nil }
    let sinTurn = sin(turn)
    let cosTurn = cos(turn)
    let sine = sinAlpha1 * cosTurn + cosAlpha1 * sinTurn
    guard sine > 0 else { return nil }
    return normalized(sine, cosAlpha1 * cosTurn - sinAlpha1 * sinTurn)
  }

  /// Follows the geodesic with the given initial azimuth to the latitude of the second point (§4, eqs. 5, 8, 10–12).
  @inline(__always)
  private func arrival(_ sinAlpha1: Double, _ givenCosAlpha1: Double) -> Arrival {
    // On the equator, both directions are equivalent, so choose south.
    let cosAlpha1 = sinBeta1 == 0 && givenCosAlpha1 == 0 ? -tiny : givenCosAlpha1
    let sinAlpha0 = sinAlpha1 * cosBeta1
    let across = sinAlpha1 * sinBeta1
    let cosAlpha0Squared = cosAlpha1 * cosAlpha1 + across * across
    let start1 = normalized(sinBeta1, cosAlpha1 * cosBeta1)
    let sinOmega1 = sinAlpha0 * sinBeta1
    let cosOmega1 = cosAlpha1 * cosBeta1

    // Eq. 45, with the difference of squares factored to avoid cancellation.
    let isSymmetric = cosBeta2 == cosBeta1 && abs(sinBeta2) == -sinBeta1
    let difference =
      cosBeta1 < -sinBeta1
      ? (cosBeta2 - cosBeta1) * (cosBeta1 + cosBeta2) : (sinBeta1 - sinBeta2) * (sinBeta1 + sinBeta2)
    let cosAlpha2 =
      isSymmetric
      ? abs(cosAlpha1) : (cosOmega1 * cosOmega1 + difference).squareRoot() / cosBeta2
    let end2 = normalized(sinBeta2, cosAlpha2 * cosBeta2)
    let sinOmega2 = sinAlpha0 * sinBeta2
    let cosOmega2 = cosAlpha2 * cosBeta2

    let sigma12 = atan2(
      max(0, start1.cosine * end2.sine - start1.sine * end2.cosine),
      start1.cosine * end2.cosine + start1.sine * end2.sine)
    let sinOmega12 = max(0, cosOmega1 * sinOmega2 - sinOmega1 * cosOmega2)
    let cosOmega12 = cosOmega1 * cosOmega2 + sinOmega1 * sinOmega2
    // omega12 - lambda12 without subtracting large angles.
    let eta = atan2(
      sinOmega12 * cosLambda12 - cosOmega12 * sinLambda12, cosOmega12 * cosLambda12 + sinOmega12 * sinLambda12)

    let kSquared = cosAlpha0Squared * Geodesic.secondEccentricitySquared
    let epsilon = kSquared / (2 * (1 + (1 + kSquared).squareRoot()) + kSquared)
    let double1 = DoubleAngle(start1.sine, start1.cosine)
    let double2 = DoubleAngle(end2.sine, end2.cosine)
    let longitudeError = eta - sinAlpha0 * LongitudeSeries(epsilon: epsilon).excess(sigma12, double1, double2)

    let lengths = LengthSeries(epsilon: epsilon)
    let s12 = lengths.length(sigma12, double1, double2)
    let j12 = s12 - ReducedSeries(epsilon: epsilon).length(sigma12, double1, double2)
    // Eq. 38.
    let reducedLength =
      scale2 * (start1.cosine * end2.sine) - scale1 * (start1.sine * end2.cosine) - start1.cosine * end2.cosine * j12
    return Arrival(
      longitudeError: longitudeError, metres: Geodesic.polarRadius * s12, reducedLength: reducedLength,
      sinAlpha0: sinAlpha0, cosAlpha2: cosAlpha2)
  }

  /// Returns the initial azimuth for the iteration: along a great circle (eqs. 48–49) or, near the antipode, from the
  /// astroid (eqs. 50–56).
  @inline(__always)
  private func startingAzimuth() -> (sine: Double, cosine: Double) {
    let sinBeta12 = sinBeta2 * cosBeta1 - cosBeta2 * sinBeta1
    let cosBeta12 = cosBeta2 * cosBeta1 + sinBeta2 * sinBeta1
    let sinBetaSum = sinBeta2 * cosBeta1 + cosBeta2 * sinBeta1
    var sinOmega12 = sinLambda12
    var cosOmega12 = cosLambda12
    if cosBeta12 >= 0, sinBeta12 < 0.5, cosBeta2 * lambda12 < 0.5 {
      // For short distances, use a sphere scaled for the mean latitude (eq. 48).
      let sinSum = sinBeta1 + sinBeta2
      let cosSum = cosBeta1 + cosBeta2
      let sinMiddleSquared = sinSum * sinSum / (sinSum * sinSum + cosSum * cosSum)
      let scale = (1 + Geodesic.secondEccentricitySquared * sinMiddleSquared).squareRoot()
      let omega12 = lambda12 / ((1 - Geodesic.flattening) * scale)
      sinOmega12 = sin(omega12)
      cosOmega12 = cos(omega12)
    }
    var sinAlpha1 = cosBeta2 * sinOmega12
    var cosAlpha1 =
      cosOmega12 >= 0
      ? sinBeta12 + cosBeta2 * sinBeta1 * sinOmega12 * sinOmega12 / (1 + cosOmega12)
      : sinBetaSum - cosBeta2 * sinBeta1 * sinOmega12 * sinOmega12 / (1 - cosOmega12)
    let sinSigma12 = (sinAlpha1 * sinAlpha1 + cosAlpha1 * cosAlpha1).squareRoot()
    let cosSigma12 = sinBeta1 * sinBeta2 + cosBeta1 * cosBeta2 * cosOmega12
    if cosSigma12 < 0, sinSigma12 < 6 * Geodesic.thirdFlattening * .pi * cosBeta1 * cosBeta1 {
      (sinAlpha1, cosAlpha1) = antipodalAzimuth(sinBetaSum)
    }
    return sinAlpha1 > 0 ? normalized(sinAlpha1, cosAlpha1) : (1, 0)
  }

  private func antipodalAzimuth(_ sinBetaSum: Double) -> (sine: Double, cosine: Double) {
    let kSquared = sinBeta1 * sinBeta1 * Geodesic.secondEccentricitySquared
    let epsilon = kSquared / (2 * (1 + (1 + kSquared).squareRoot()) + kSquared)
    let longitudeScale = Geodesic.flattening * cosBeta1 * LongitudeSeries.a3(epsilon) * .pi
    let x = -supplement / longitudeScale
    let y = sinBetaSum / (longitudeScale * cosBeta1)
    if y > -200 * Double.ulpOfOne, x > -1 - 1000 * Double.ulpOfOne.squareRoot() {
      // On the cut locus itself, the astroid has a cusp (eq. 57).
      let sine = min(1, -x)
      return (sine, -(1 - sine * sine).squareRoot())
    }
    let k = astroid(x, y)
    let fromAntipode = longitudeScale * -x * k / (1 + k)
    let sinOmega12 = sin(fromAntipode)
    let cosOmega12 = -cos(fromAntipode)
    return (
      cosBeta2 * sinOmega12, sinBetaSum - cosBeta2 * sinBeta1 * sinOmega12 * sinOmega12 / (1 - cosOmega12)
    )
  }
}

/// Returns the positive root of `k^4 + 2k^3 - (x^2 + y^2 - 1)k^2 - 2y^2 k - y^2 = 0` (eq. 55, appendix B).
private func astroid(_ x: Double, _ y: Double) -> Double {
  let p = x * x
  let q = y * y
  let r = (p + q - 1) / 6
  if q == 0, r <= 0 { return 0 }
  let s = p * q / 4
  let rSquared = r * r
  let rCubed = r * rSquared
  let discriminant = s * (s + 2 * rCubed)
  var u = r
  if discriminant >= 0 {
    let sum = s + rCubed
    // Choosing the sign of the root this way avoids cancellation.
    let t = cbrt(sum + (sum < 0 ? -discriminant.squareRoot() : discriminant.squareRoot()))
    u += t + (t != 0 ? rSquared / t : 0)
  } else {
    u += 2 * r * cos(atan2((-discriminant).squareRoot(), -(s + rCubed)) / 3)
  }
  let v = (u * u + q).squareRoot()
  let sum = u < 0 ? q / (v - u) : u + v
  let w = (sum - q) / (2 * v)
  return sum / ((sum + w * w).squareRoot() + w)
}

/// Sine and cosine of 2σ, from which the series derive the sines of 2σ, 4σ, … 12σ.
private struct DoubleAngle {
  let sine, cosine: Double

  @inline(__always)
  init(_ sinSigma: Double, _ cosSigma: Double) {
    sine = 2 * sinSigma * cosSigma
    cosine = (cosSigma - sinSigma) * (cosSigma + sinSigma)
  }

  /// Evaluates `c1 sin 2σ + c2 sin 4σ + … + c6 sin 12σ` with Clenshaw's recurrence.
  @inline(__always)
  func sum(_ c1: Double, _ c2: Double, _ c3: Double, _ c4: Double, _ c5: Double, _ c6: Double) -> Double {
    let twice = 2 * cosine
    let b6 = c6
    let b5 = twice * b6 + c5
    let b4 = twice * b5 - b6 + c4
    let b3 = twice * b4 - b5 + c3
    let b2 = twice * b3 - b4 + c2
    let b1 = twice * b2 - b3 + c1
    return sine * b1
  }
}

/// I1, the length of a geodesic in units of the polar radius (eqs. 15–18).
private struct LengthSeries {
  let a, c1, c2, c3, c4, c5, c6: Double

  @inline(__always)
  init(epsilon e: Double) {
    let q = e * e
    a = (1 + q * (1.0 / 4 + q * (1.0 / 64 + q * (1.0 / 256)))) / (1 - e)
    c1 = e * (-1.0 / 2 + q * (3.0 / 16 - q * (1.0 / 32)))
    c2 = q * (-1.0 / 16 + q * (1.0 / 32 - q * (9.0 / 2048)))
    c3 = e * q * (-1.0 / 48 + q * (3.0 / 256))
    c4 = q * q * (-5.0 / 512 + q * (3.0 / 512))
    c5 = e * q * q * (-7.0 / 1280)
    c6 = q * q * q * (-7.0 / 2048)
  }

  @inline(__always)
  func length(_ sigma12: Double, _ start: DoubleAngle, _ end: DoubleAngle) -> Double {
    a * (sigma12 + (end.sum(c1, c2, c3, c4, c5, c6) - start.sum(c1, c2, c3, c4, c5, c6)))
  }
}

/// I2, which together with I1 determines the reduced length (eqs. 40–43).
private struct ReducedSeries {
  let a, c1, c2, c3, c4, c5, c6: Double

  @inline(__always)
  init(epsilon e: Double) {
    let q = e * e
    a = (1 - e) * (1 + q * (1.0 / 4 + q * (9.0 / 64 + q * (25.0 / 256))))
    c1 = e * (1.0 / 2 + q * (1.0 / 16 + q * (1.0 / 32)))
    c2 = q * (3.0 / 16 + q * (1.0 / 32 + q * (35.0 / 2048)))
    c3 = e * q * (5.0 / 48 + q * (5.0 / 256))
    c4 = q * q * (35.0 / 512 + q * (7.0 / 512))
    c5 = e * q * q * (63.0 / 1280)
    c6 = q * q * q * (77.0 / 2048)
  }

  @inline(__always)
  func length(_ sigma12: Double, _ start: DoubleAngle, _ end: DoubleAngle) -> Double {
    a * (sigma12 + (end.sum(c1, c2, c3, c4, c5, c6) - start.sum(c1, c2, c3, c4, c5, c6)))
  }
}

/// I3 times the flattening: difference between the longitude on the ellipsoid and the angle on the auxiliary sphere
/// (eqs. 8, 23–25).
private struct LongitudeSeries {
  let a, c1, c2, c3, c4, c5: Double

  @inline(__always)
  init(epsilon e: Double) {
    let n = Geodesic.thirdFlattening
    a = Geodesic.flattening * Self.a3(e)
    let fifth = 3.0 / 128 * e
    c1 =
      e
      * ((1 - n) / 4 + e
        * ((1 - n * n) / 8 + e * ((3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + fifth))))
    c2 =
      e * e
      * ((2 - n * (3 - n)) / 32 + e * ((3 - n * (2 + 3 * n)) / 64 + e * ((3 + n) / 128 + e * (5.0 / 256))))
    c3 = e * e * e * ((5 - n * (9 - 5 * n)) / 192 + e * ((9 - 10 * n) / 384 + e * (7.0 / 512)))
    c4 = e * e * e * e * ((7 - 14 * n) / 512 + e * (7.0 / 512))
    c5 = e * e * e * e * e * (21.0 / 2560)
  }

  @inline(__always)
  static func a3(_ e: Double) -> Double {
    let n = Geodesic.thirdFlattening
    return 1 - e
      * ((1 - n) / 2 + e
        * ((2 + n * (1 - 3 * n)) / 8 + e
          * ((1 + n * (3 + n)) / 16 + e * ((3 + 2 * n) / 64 + e * (3.0 / 128)))))
  }

  @inline(__always)
  func excess(_ sigma12: Double, _ start: DoubleAngle, _ end: DoubleAngle) -> Double {
    a * (sigma12 + (end.sum(c1, c2, c3, c4, c5, 0) - start.sum(c1, c2, c3, c4, c5, 0)))
  }
}

/// Replaces a cosine of zero at a pole, small enough not to affect any result.
private let tiny = 1.5e-154
private let radiansPerDegree = Double.pi / 180

/// Returns the difference of two longitudes in degrees, −180 to 180, without rounding error across the antimeridian.
private func difference(_ first: Double, _ second: Double) -> Double {
  let from = first.remainder(dividingBy: 360)
  let to = second.remainder(dividingBy: 360)
  let sum = to - from
  // Rounding error of the subtraction (Knuth's two-sum).
  let virtual = sum - to
  let lost = (to - (sum - virtual)) - (from + virtual)
  let turned = sum.remainder(dividingBy: 360)
  let result = turned + lost
  return abs(result) > 180 ? result - (result < 0 ? -360 : 360) : result
}

/// Returns the sine and cosine after an exact reduction to one quadrant, so that multiples of 90° are exact.
@inline(__always)
private func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
  let quarters = (degrees / 90).rounded()
  let rest = (degrees - quarters * 90) * radiansPerDegree
  let sine = sin(rest)
  let cosine = cos(rest)
  switch Int(quarters) & 3 {
  case 0: return (sine, cosine)
  case 1: return (cosine, -sine)
  case 2: return (-sine, -cosine)
  default: return (-cosine, sine)
  }
}

@inline(__always)
private func reducedLatitude(_ degrees: Double) -> (sine: Double, cosine: Double) {
  let (sine, cosine) = sineAndCosine(degrees: degrees)
  let reduced = normalized((1 - Geodesic.flattening) * sine, cosine)
  return (reduced.sine, max(tiny, reduced.cosine))
}

@inline(__always)
private func normalized(_ sine: Double, _ cosine: Double) -> (sine: Double, cosine: Double) {
  let length = (sine * sine + cosine * cosine).squareRoot()
  return (sine / length, cosine / length)
}
