/* properties.h - every property there is; property_list.c puts them in order. */
#ifndef WGC_PROPERTIES_H
#define WGC_PROPERTIES_H

#include "property.h"

extern const wgc_property wgc_p_sa1, wgc_p_sa2, wgc_p_sa3, wgc_p_sa4, wgc_p_sa5,
	wgc_p_sa6, wgc_p_sa7, wgc_p_sa8;
extern const wgc_property wgc_p_fn1, wgc_p_fn2, wgc_p_fn3, wgc_p_fn4, wgc_p_fn5,
	wgc_p_fn6,
	wgc_p_fn7, wgc_p_fn9, wgc_p_fn10, wgc_p_fn11,
	wgc_p_fn12, wgc_p_fn13;
extern const wgc_property wgc_p_mo1, wgc_p_mo2, wgc_p_mo3, wgc_p_mo4, wgc_p_mo5,
	wgc_p_mo6, wgc_p_mo7;
extern const wgc_property wgc_p_in1, wgc_p_in2, wgc_p_in3;
extern const wgc_property wgc_p_gr1, wgc_p_gr2, wgc_p_gr3, wgc_p_gr4, wgc_p_gr5,
	wgc_p_gr6, wgc_p_gr7;
extern const wgc_property wgc_p_tot1, wgc_p_tot2, wgc_p_tot3, wgc_p_tot4;
extern const wgc_property wgc_p_tim1, wgc_p_tim2, wgc_p_tim3, wgc_p_tim4;

#endif
